/** Quantities as Kubernetes writes them: `10Gi`, `500m`, `1e3` (apimachinery, resource.ParseQuantity). */
export const quantityPattern = '^([+-]?)(\\d+(?:\\.\\d*)?|\\.\\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d+)?$'
const form = new RegExp(quantityPattern)

/** What the rule `volumeSize` of cel.ts takes. */
export function isVolumeSize(text: string): boolean {
  const [, sign = '', digits = ''] = form.exec(text) ?? []
  return sign !== '-' && /[1-9]/.test(digits) && quantityValue(text) < 2 ** 60
}

const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}

/** `10Gi` is `10240Mi`. NaN for what is none. */
export function quantityValue(text: string): number {
  if (!form.test(text)) return Number.NaN
  const factor = factors[/[A-Za-z]+$/.exec(text)?.[0] ?? '']
  return factor === undefined ? Number(text) : Number.parseFloat(text) * factor
}
