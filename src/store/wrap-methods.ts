/** An object type whose methods all return promises. */
type AsyncMethods<T> = { readonly [Name in keyof T]: (...args: never[]) => Promise<unknown> }

/** Runs one call of a method, and may observe it, reject it, or translate its error. */
type CallWrapper<T> = <R>(name: keyof T & string, call: () => Promise<R>) => Promise<R>

/**
 * Builds an object with the methods of another one, in which every call goes through `wrap`.
 * @param getTarget returns the object to call, which may change to another one of the same class
 */
export function wrapMethods<T extends AsyncMethods<T>>(getTarget: () => T, wrap: CallWrapper<T>): T {
  const names = listMethods(getTarget())
  const methods = names.map((name) => [
    name,
    (...args: never[]) => wrap(name, () => getTarget()[name](...args) as Promise<unknown>),
  ])
  return Object.fromEntries(methods) as T
}

/** Names of the methods of a class instance or of an object literal. */
function listMethods<T extends object>(target: T): (keyof T & string)[] {
  const prototype = Object.getPrototypeOf(target) as object
  const own = Object.keys(target)
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype)
  return [...own, ...inherited].filter((name) => name !== 'constructor') as (keyof T & string)[]
}
