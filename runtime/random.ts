/** A number in [0, 1), as `Math.random` gives it; a seeded one in simulations. */
export type Random = () => number
