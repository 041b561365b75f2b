import { findPlan, type Plan } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'

/**
 * Says which plans of keys are unknown. The limits shown for them are those that a service with the same plans applies, but the
 * service may read another PLANS_FILE than this command.
 */
export function reportUnknownPlans(
  keys: readonly Pick<Key, 'plan' | 'revokedAt'>[],
  plans: ReadonlyMap<string, Plan>,
  report: (sentence: string) => void,
): void {
  const unknown = new Set(keys.flatMap(({ plan, revokedAt }) => (revokedAt !== null || plans.has(plan) ? [] : plan)))
  for (const plan of unknown)
    report(
      `The plans of this command do not contain ${plan}: its keys are shown with the limits of ${findPlan(plans, plan).name}. If the service has other plans, set PLANS_FILE to its file.`,
    )
}
