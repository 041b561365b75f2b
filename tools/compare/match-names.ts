import type { CompiledRule } from '../../src/engine/rule/types.ts'
import type { Label } from './read-pages.ts'

/**
 * Names of the same thing in different detectors have the same key: case, spaces and punctuation do not count, and `names.json`
 * has the others.
 */
export class NameKeys {
  private readonly groups: ReadonlyMap<string, string>

  /** @param groups names of the same thing, by the name to show */
  constructor(groups: Readonly<Record<string, readonly string[]>>) {
    this.groups = new Map(
      Object.entries(groups).flatMap(([shown, names]) =>
        names.map((name) => [simplify(name), simplify(shown)] as const),
      ),
    )
  }

  get(name: string): string {
    const simple = simplify(name)
    return this.groups.get(simple) ?? simple
  }
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}+#]/gu, '') || name
}

/** The names that labels use, as keys, and what a label says about each of them. */
export class LabelledNames {
  private readonly known: ReadonlySet<string>
  private readonly rules: ReadonlyMap<string, Pick<CompiledRule, 'slug' | 'name' | 'implies'>>
  private readonly keys: NameKeys

  /** @param rules those of the project: a label may be the slug of a rule */
  constructor(
    labels: readonly (Label | null)[],
    rules: readonly Pick<CompiledRule, 'slug' | 'name' | 'implies'>[],
    keys: NameKeys,
  ) {
    this.keys = keys
    this.rules = new Map(rules.map((rule) => [rule.slug, rule]))
    this.known = new Set(labels.flatMap((label) => (label?.builder ? [this.findKey(label.builder)] : [])))
  }

  /** Compares the names on a page with its label. Names that no label has, and those that go with the right one, do not count. */
  judge(label: Label, named: ReadonlySet<string>): { right: number; wrong: number; missed: number } {
    const wanted = label.builder === null ? null : this.findKey(label.builder)
    const others = [...named].filter((key) => key !== wanted && this.known.has(key))
    const wrong = others.filter((key) => label.builder === null || !this.goTogether(label.builder, key)).length
    const isNamed = wanted !== null && named.has(wanted)
    return { right: isNamed ? 1 : 0, wrong, missed: wanted === null || isNamed ? 0 : 1 }
  }

  private findKey(builder: string): string {
    return this.keys.get(this.rules.get(builder)?.name ?? builder)
  }

  /** Whether the rule of one implies the other. */
  private goTogether(builder: string, key: string): boolean {
    const implied = (slug: string): string[] => (this.rules.get(slug)?.implies ?? []).map((one) => this.findKey(one))
    const wanted = this.findKey(builder)
    const other = [...this.rules.values()].find(({ name }) => this.keys.get(name) === key)
    return implied(builder).includes(key) || (other !== undefined && implied(other.slug).includes(wanted))
  }
}
