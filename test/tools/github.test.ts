import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { projectFolder } from '../../src/rules/built.ts'

const folder = join(projectFolder(), '.github')
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const list = (path: string): string[] => readdirSync(join(folder, path)).sort()

type Permissions = Readonly<Record<string, string>>

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Workflow {
  readonly name: string
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Permissions
  readonly jobs: Readonly<Record<string, { readonly permissions?: Permissions; readonly steps: readonly Step[] }>>
}

/** Events whose workflows run with the secrets of the repository, on behalf of anyone who opens a pull request. */
const PRIVILEGED = ['pull_request_target', 'workflow_run', 'issue_comment', 'issues']

/** The beginning of an expression in a workflow. */
const EXPRESSION = '$' + '{{ '

/** Returns what is unsafe in a workflow. */
function findRisks(text: string): string[] {
  const workflow = parse(text) as Workflow
  const events = Object.keys(workflow.on)
  const isPrivileged = events.some((event) => PRIVILEGED.includes(event))
  const risks = workflow.permissions === undefined ? ['the workflow has the default permissions'] : []
  if (/secrets\./.test(text)) risks.push('a secret is used')
  for (const [name, { permissions = workflow.permissions, steps }] of Object.entries(workflow.jobs)) {
    const writes = Object.entries(permissions ?? {}).filter(([, access]) => access === 'write')
    if (events.includes('pull_request') && writes.length > 0)
      risks.push(`${name} may write, and runs the code of pull requests`)
    for (const { uses, run, with: inputs } of steps) {
      if (run !== undefined && /\$\{\{/.test(run)) risks.push(`${name} inserts an expression into a command`)
      if (/\$\{\{/.test(String(inputs?.script ?? ''))) risks.push(`${name} inserts an expression into a script`)
      if (uses !== undefined && !/^actions\/[\w-]+@v\d+$/.test(uses)) risks.push(`${name} uses ${uses}`)
      const isCheckout = uses?.startsWith('actions/checkout@')
      if (isCheckout && inputs?.['persist-credentials'] !== false)
        risks.push(`${name} stores its token in the checkout`)
      if (isPrivileged && (isCheckout || run !== undefined)) risks.push(`${name} could run the code of a pull request`)
    }
  }
  return risks
}

describe('workflows', () => {
  test.each(list('workflows'))('%s is safe with pull requests of strangers', (name) => {
    expect(findRisks(read(`workflows/${name}`))).toEqual([])
  })

  const checks = read('workflows/checks.yml')
  const report = read('workflows/report.yml')
  test.each<[name: string, text: string, risk: RegExp]>([
    ['without permissions', checks.replace(/^permissions:\n.*\n/m, ''), /default permissions/],
    ['with a token that may write', checks.replace('contents: read', 'contents: write'), /rules may write/],
    [
      'with a secret',
      checks.replace('BASE:', `TOKEN: ${EXPRESSION}secrets.TOKEN }}\n          BASE:`),
      /a secret is used/,
    ],
    [
      'with an expression in a command',
      checks.replace('"$BASE"', `${EXPRESSION}github.head_ref }}`),
      /expression into a command/,
    ],
    ['with a token in the checkout', checks.replaceAll(/ +persist-credentials: false\n/g, ''), /stores its token/],
    ['with an action of someone else', checks.replace('actions/setup-node@v4', 'some/setup@v4'), /uses some\/setup@v4/],
    ['that runs a pull request with its rights', checks.replace('pull_request:', 'pull_request_target:'), /could run/],
    ['that reports with a checkout', report.replace('download-artifact@v4', 'checkout@v4'), /comment could run/],
  ])('a workflow %s is found', (_, text, risk) => {
    expect(findRisks(text).some((one) => risk.test(one))).toBe(true)
  })

  test('what one workflow uploads, the other one downloads after it', () => {
    const [first, second] = [parse(checks), parse(report)] as [Workflow, Workflow]
    const find = ({ jobs }: Workflow, action: string): unknown =>
      Object.values(jobs)
        .flatMap(({ steps }) => steps)
        .find(({ uses }) => uses?.startsWith(`actions/${action}@`))?.with
    expect(second.on.workflow_run).toMatchObject({ workflows: [first.name] })
    expect(find(first, 'upload-artifact')).toMatchObject({ name: 'report', path: 'report/verdicts.md' })
    expect(find(second, 'download-artifact')).toMatchObject({ name: 'report', path: 'report' })
  })

  test('the workflow of releases runs for tags only, and only there may a job write', () => {
    const { on, permissions } = parse(read('workflows/release.yml')) as Workflow
    expect([on, permissions]).toEqual([{ push: { tags: ['v*'] } }, { contents: 'read' }])
  })

  test('every npm script that a workflow runs exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8')) as { scripts: object }
    const named = [...`${checks}${report}${read('pull_request_template.md')}`.matchAll(/npm run -s ([\w:]+)/g)]
    expect(named.length).toBeGreaterThan(3)
    expect(named.map(([, name]) => name).filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  test('the script that posts the comment is valid JavaScript', () => {
    const { jobs } = parse(report) as Workflow
    const [script] = jobs.comment.steps.flatMap((step) => step.with?.script ?? [])
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor
    expect(() => new AsyncFunction('github', 'context', 'core', String(script))).not.toThrow()
  })
})

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly {
    readonly type: string
    readonly id: string
    readonly attributes: { readonly label: string; readonly options?: readonly string[] }
  }[]
}

test.each(list('ISSUE_TEMPLATE').filter((name) => name !== 'config.yml'))('the form %s is complete', (name) => {
  const form = parse(read(`ISSUE_TEMPLATE/${name}`)) as Form
  expect([typeof form.name, typeof form.description, form.body.length > 1]).toEqual(['string', 'string', true])
  const ids = form.body.map(({ id }) => id)
  expect([...new Set(ids)]).toEqual(ids)
  for (const { type, attributes } of form.body) {
    expect(['input', 'textarea', 'dropdown']).toContain(type)
    expect(attributes.label).toMatch(/^[A-Z]/)
    expect(attributes.options !== undefined).toBe(type === 'dropdown')
  }
})
