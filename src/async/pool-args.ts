const FLAG = '--no-experimental-require-module'

/**
 * Arguments of the threads of a pool. Piscina loads the module of a thread with `require`; while Node (20.20 to 24) loads an ES module
 * that way, the end of the process makes it abort: `v8::Module::IsGraphAsync must be used on an instantiated module`. Without it, Piscina
 * imports the module.
 */
export const POOL_ARGS: string[] = process.allowedNodeEnvironmentFlags.has(FLAG) ? [FLAG] : []
