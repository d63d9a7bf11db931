/** Quantities as Kubernetes writes them: `10Gi`, `500m`, `1e3` (apimachinery, resource.ParseQuantity). */
const form = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/

/** What the rule `aboveZero` of cel.ts takes. */
export function isQuantityAboveZero(text: string): boolean {
  const [, sign = '', digits = ''] = form.exec(text) ?? []
  return sign !== '-' && /[1-9]/.test(digits)
}
