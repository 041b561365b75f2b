import type { Main } from './command/command.ts'

/** Each command is loaded only when it runs: `keys` needs no rules, `rules` needs no store. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ readonly main: Main }>>> = {
  accounts: () => import('./accounts.ts'),
  batches: () => import('./batches.ts'),
  keys: () => import('./keys.ts'),
  mcp: () => import('./mcp.ts'),
  report: () => import('./report.ts'),
  rules: () => import('./rules.ts'),
  scan: () => import('./scan.ts'),
  service: () => import('./service.ts'),
}
