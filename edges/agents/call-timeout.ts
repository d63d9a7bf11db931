/** A tool gives a call up by then, and may ask again. Long calls are those that ask the forge; a model waits rather than asks twice. */
export const callTimeoutMs = 120_000
