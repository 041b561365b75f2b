import { minimize, type Valuation } from './minimize.ts'

/** Pages as rows of a sparse binary matrix: for each page the columns that are 1. */
type SparseRows = readonly (readonly number[])[]

/** The training data of a regression. */
export interface Sample {
  readonly rows: SparseRows
  /** Class by page. */
  readonly labels: readonly number[]
  /** Fixed part of the score, by page and class, in nats of log-odds. */
  readonly offsets: readonly Float64Array[]
}

/** Shape of the model. */
export interface ModelShape {
  readonly columns: number
  readonly classes: number
  /** Classes whose weights and bias are fitted. The scores of the others are their offsets. */
  readonly fitted: readonly number[]
  /** Class of each column for which a clause was written. */
  readonly owners: readonly number[]
  /** Weights with a smaller amount than this are removed: they are 0, and the others are fitted without them. */
  readonly minWeight: number
}

/** A fitted model, in nats of log-odds. */
export interface Model {
  /** Weight of column c for class k at `c * classes + k`. */
  readonly weights: Float64Array
  readonly biases: Float64Array
}

/** Penalty on the sum of squared weights. Chosen by cross-validation on four fifths of the labelled sites. */
const PENALTY = 7
/**
 * Weight that the penalty draws a column to for its own class, in nats; 0 for other classes. In this way rare evidence
 * keeps some of the weight that its author expects, until pages show otherwise.
 */
const OWN_WEIGHT = 1.3
/** Number of rounds in which weights that are too small are removed and the others fitted again. */
const ROUNDS = 2
const LIMITS = { maxSteps: 300, minGain: 1e-7 }

/**
 * Fits a multinomial logistic regression with an L2 penalty on the weights (not on the biases). It uses no random numbers: equal
 * samples give equal models.
 */
export function fitRegression(sample: Sample, shape: ModelShape, penalty = PENALTY): Model {
  const size = shape.columns * shape.classes
  const isFree = new Uint8Array(size + shape.classes).fill(0)
  for (let i = 0; i < isFree.length; i++) isFree[i] = shape.fitted.includes(i % shape.classes) ? 1 : 0
  let point: Float64Array = new Float64Array(isFree.length)
  for (let round = 0; round <= ROUNDS; round++) {
    point = minimize((at) => computeLoss(sample, shape, { at, penalty, isFree }), point, LIMITS)
    for (let i = 0; i < size; i++)
      if (Math.abs(point[i]) < shape.minWeight) {
        isFree[i] = 0
        point[i] = 0
      }
  }
  return { weights: point.subarray(0, size), biases: point.subarray(size) }
}

/** Computes the penalised negative log-likelihood and its gradient. The last row of a point contains the biases. */
function computeLoss(
  { rows, labels, offsets }: Sample,
  { columns, classes, owners }: ModelShape,
  { at, penalty, isFree }: { readonly at: Float64Array; readonly penalty: number; readonly isFree: Uint8Array },
): Valuation {
  const slope = new Float64Array(at.length)
  const scores = new Float64Array(classes)
  const bias = columns * classes
  let value = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    for (let k = 0; k < classes; k++) scores[k] = offsets[i][k] + at[bias + k]
    for (let j = 0; j < row.length; j++)
      for (let k = 0, from = row[j] * classes; k < classes; k++) scores[k] += at[from + k]
    softmax(scores)
    value -= Math.log(Math.max(scores[labels[i]], Number.MIN_VALUE))
    scores[labels[i]] -= 1
    for (let k = 0; k < classes; k++) slope[bias + k] += scores[k]
    for (let j = 0; j < row.length; j++)
      for (let k = 0, from = row[j] * classes; k < classes; k++) slope[from + k] += scores[k]
  }
  for (let i = 0; i < bias; i++) {
    if (isFree[i] === 0) continue
    const excess = at[i] - (owners[(i / classes) | 0] === i % classes ? OWN_WEIGHT : 0)
    value += (penalty / 2) * excess * excess
    slope[i] += penalty * excess
  }
  for (let i = 0; i < slope.length; i++) slope[i] *= isFree[i]
  return { value, slope }
}

function softmax(scores: Float64Array): void {
  let most = scores[0]
  for (let k = 1; k < scores.length; k++) most = Math.max(most, scores[k])
  let total = 0
  for (let k = 0; k < scores.length; k++) total += scores[k] = Math.exp(scores[k] - most)
  for (let k = 0; k < scores.length; k++) scores[k] /= total
}
