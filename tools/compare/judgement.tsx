import type { SampledNaming, ToolComparison } from './comparison.ts'

interface JudgementProps {
  readonly sample: readonly SampledNaming[]
  readonly comparison: ToolComparison
}

const KEYS = [
  ['yes', 'Yes'],
  ['no', 'No'],
  ['unsure', 'Cannot tell'],
] as const

/** Namings for a person to judge without knowing which detector they come from. `assets/judgement.js` asks and counts. */
export function Judgement({ sample, comparison: { measured, detectors, pages } }: JudgementProps) {
  if (sample.length === 0) return null
  const data = { run: `${measured} ${pages.sha256}`, detectors: detectors.map(({ name }) => name), sample }
  return (
    <section class="card" id="judgement">
      <h2>Blind judgement</h2>
      <p class="quiet">
        {sample.length} namings, taken in turns from each combination of detectors that agree. Which detectors made a
        naming is hidden until all are judged. Answers are stored in this browser, and can be saved to a file.
      </p>
      <noscript>The judgement needs scripts.</noscript>
      <div id="question" hidden>
        <p role="status" class="quiet" id="progress" />
        <p class="asked">
          Does <bdi id="page-url" /> use <strong id="asked-name" />?
        </p>
        <div class="buttons">
          {KEYS.map(([answer, label], i) => (
            <button
              key={answer}
              type="button"
              class="button secondary"
              data-answer={answer}
              aria-keyshortcuts={`${i + 1}`}
            >
              {label} <kbd>{i + 1}</kbd>
            </button>
          ))}
          <button type="button" class="button secondary" id="back">
            Back
          </button>
        </div>
        <dl id="facts" />
        <details>
          <summary>Source</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <pre id="source" tabIndex={0} />
        </details>
      </div>
      <div id="counts" />
      <div class="buttons">
        <button type="button" class="button secondary" id="save">
          Save answers
        </button>
        <label class="button secondary" for="load">
          Load answers
        </label>
        <input type="file" id="load" class="hidden" accept=".json" />
        <button type="button" class="button secondary" id="clear">
          Start again
        </button>
      </div>
      <p role="alert" id="problem" />
      {/* Data: browsers do not run it. */}
      <script
        type="application/json"
        id="sample"
        dangerouslySetInnerHTML={{ __html: JSON.stringify(data).replaceAll('<', '\\u003c') }}
      />
    </section>
  )
}
