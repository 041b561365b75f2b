/** The machine on which a comparison was made. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  /** Processes that were ready to run, on average over the last minute, at the end of the comparison. */
  readonly load: number
  /** Whether each detector was bound to one core. */
  readonly oneCore: boolean
}

/** How the names of a detector fit to the labels. */
export interface LabelScore {
  readonly right: number
  readonly wrong: number
  readonly missed: number
  /** Right of right and wrong; null without any. */
  readonly precision: number | null
  /** Right of right and missed; null without any. */
  readonly recall: number | null
}

/** What one detector did. */
export interface DetectorSummary {
  readonly name: string
  readonly version: string | null
  readonly rules: number | null
  readonly namings: number
  readonly namingsPerPage: number
  /** Distinct names. */
  readonly names: number
  readonly versionsPerPage: number
  /** Namings that no other detector has. */
  readonly alone: number
  readonly failures: number
  readonly pagesPerSecond: number
  /** Pages a second, divided by those of the first detector: the median over the rounds. */
  readonly speed: number
  /** Pages a second with writing lines and reading responses. */
  readonly exchangedPerSecond: number
  readonly startMs: number
  readonly memoryMiB: number | null
  /** Time with twice the rules, divided by that with each rule once. */
  readonly twice: number | null
  readonly worst: { readonly id: string; readonly ms: number }
  readonly labels: LabelScore | null
}

/** A name and the number of pages on which only one of two detectors has it. */
export type NameCount = readonly [name: string, pages: number]

/** Agreement of two detectors. */
export interface Agreement {
  readonly both: number
  readonly onlyFirst: number
  readonly onlySecond: number
  /** Namings that both have, of those that any of them has. */
  readonly share: number
}

export interface PairSummary extends Agreement {
  readonly first: string
  readonly second: string
  /** The same for the names that both have on some page: what only one of them knows is left out. */
  readonly shared: Agreement & { readonly names: number }
  readonly topFirst: readonly NameCount[]
  readonly topSecond: readonly NameCount[]
}

/** The result of a comparison without pages, as `--json` writes it. */
export interface ToolComparison {
  readonly format: 1
  /** ISO 8601, UTC. */
  readonly measured: string
  readonly machine: Machine
  readonly pages: { readonly file: string; readonly count: number; readonly sha256: string; readonly labelled: number }
  readonly rounds: number
  readonly timedPages: number
  readonly detectors: readonly DetectorSummary[]
  readonly pairs: readonly PairSummary[]
}

/** A naming that a person judges. */
export interface SampledNaming {
  readonly name: string
  readonly url: string
  /** Indexes of the detectors that have it, hidden until the end. */
  readonly by: readonly number[]
  readonly facts: readonly (readonly [label: string, text: string])[]
  readonly source: string
}
