/** Facts that the mirror numbered when it told them; older journals have none. */
interface Numbered {
  readonly revision?: number
}

/**
 * The facts that count: two orchestrators work side by side while one replaces the other, and what the first had read
 * may reach the actor last. Facts without a number are believed as they come.
 */
export function newest<F extends Numbered>(known: F | null, told: F): F {
  const isOvertaken = (known?.revision ?? 0) > (told.revision ?? Infinity)
  return (isOvertaken ? known : null) ?? told
}
