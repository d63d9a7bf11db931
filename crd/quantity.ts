/** Quantities as Kubernetes writes them: `10Gi`, `500m`, `1e3` (apimachinery, resource.ParseQuantity). */
export const quantityPattern = '^([+-]?)(\\d+(?:\\.\\d*)?|\\.\\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d+)?$'
const form = new RegExp(quantityPattern)

/** What the rule `aboveZero` of cel.ts takes. */
export function isQuantityAboveZero(text: string): boolean {
  const [, sign = '', digits = ''] = form.exec(text) ?? []
  return sign !== '-' && /[1-9]/.test(digits)
}
