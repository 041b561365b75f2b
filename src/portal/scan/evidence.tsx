import type { RulesetLabels } from '../../detector/ruleset-labels.ts'
import type { Extras } from '../../scan/extra-schemas.ts'
import { Card } from '../components/content.tsx'
import { explainNote, nameKind, namePlace, type ScanReport, splitEvidence } from './report.ts'
import { SiteText } from './site-text.tsx'

type Item = Extras['evidence'][number]

interface EvidenceProps {
  readonly report: ScanReport
  readonly labels: RulesetLabels
}

/** Maximum of the sum of points. */
const MAX_POINTS = 6

const WEIGHTS = { strong: 'Strong evidence', medium: 'Medium evidence', weak: 'Weak evidence' } as const

/** Explains each part of the result in a block of its own, which is closed at first. */
export function EvidenceList(props: EvidenceProps) {
  const { chosen, others } = splitEvidence(props.report)
  if (chosen.length + others.length === 0) return null
  return (
    <Card title="Evidence">
      <p>
        Each statement rests on marks that the site leaves. A strong one suffices and counts 6 points; medium ones count
        3 for each kind of place, weak ones 1. 6 points are high confidence, 3 to 5 medium, 2 low. Site types compete:
        each mark counts for or against each type, and the type with the highest sum is named if its lead is clear.
      </p>
      {chosen.map((item) => (
        <EvidenceItem key={`${item.kind} ${item.slug}`} item={item} {...props} />
      ))}
      {others.length > 0 && (
        <details class="evidence others">
          <summary>
            Considered, but not part of the result <span class="quiet">{others.length}</span>
          </summary>
          {others.map((item) => (
            <EvidenceItem key={`${item.kind} ${item.slug}`} item={item} {...props} />
          ))}
        </details>
      )}
    </Card>
  )
}

function EvidenceItem({ item, report, labels }: EvidenceProps & { readonly item: Item }) {
  const { kind, name, points, clauses, unseen, note } = item
  return (
    <details class="evidence">
      <summary>
        <strong>{name}</strong> <span class="quiet">{nameKind(kind)}</span>{' '}
        {(points > 0 || kind === 'site-type') && (
          <span class="points">
            {kind === 'site-type' ? `${formatSign(points)} points` : `${points} of ${MAX_POINTS} points`}
          </span>
        )}
      </summary>
      {note !== undefined && <p>{explainNote(note, report)}</p>}
      {clauses.length > 0 && (
        <ul class="clauses">
          {clauses.map((clause) => (
            <ClauseItem key={clause.clause} clause={clause} labels={labels} />
          ))}
        </ul>
      )}
      {unseen.length > 0 && (
        <p class="quiet">The rule also looks at places that this scan did not see: {listPlaces(unseen, labels)}.</p>
      )}
    </details>
  )
}

function ClauseItem({ clause, labels }: { readonly clause: Item['clauses'][number]; readonly labels: RulesetLabels }) {
  const texts = clause.texts.filter((text) => text !== '')
  return (
    <li>
      <p>
        <ClauseWeight clause={clause} /> {listPlaces(clause.places, labels)}
        {clause.hits > 1 && <span class="quiet">, found {clause.hits} times</span>}
        {clause.through && (
          <span class="quiet">
            , through <SiteText text={clause.through.join(', ')} kind="match" />
          </span>
        )}
      </p>
      {texts.length > 0 && (
        <ul class="matches" aria-label="Matched text">
          {texts.map((text) => (
            <li key={text}>
              <SiteText text={text} kind="match" />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        Rule: <code>{clause.clause}</code>
      </p>
    </li>
  )
}

/** The weight of a clause or, for a site type, its points. */
function ClauseWeight({ clause: { weight, points = 0 } }: { readonly clause: Item['clauses'][number] }) {
  if (weight !== undefined) return <span class={`weight ${weight}`}>{WEIGHTS[weight]}</span>
  return <span class={`weight ${points < 0 ? 'weak' : 'medium'}`}>{formatSign(points)} points</span>
}

/** A number with its sign: +12, −3. */
function formatSign(value: number): string {
  return value < 0 ? `−${-value}` : `+${value}`
}

/** Places in one sentence: "A meta tag, the visible text". */
function listPlaces(places: readonly string[], labels: RulesetLabels): string {
  const [first, ...others] = places.map((place) => namePlace(place, labels))
  return [first, ...others.map((name) => name.charAt(0).toLowerCase() + name.slice(1))].join(', ')
}
