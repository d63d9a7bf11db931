/** `xstate.after.<delay>.<state id>` and the empty type are XState's own names. */
export function eventName(type: string): string {
  const after = /^xstate\.after\.([^.]+)\./.exec(type)?.[1]
  if (after !== undefined) return `after ${/^\d+$/.test(after) ? `${Number(after) / 1000} s` : after}`
  return type === '' ? 'always' : type
}
