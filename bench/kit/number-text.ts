/** Three digits that say something; an en dash for what was not measured. */
export function numberText(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  if (size >= 100) return value.toFixed(0)
  return size >= 10 ? value.toFixed(1) : value.toFixed(size >= 1 ? 2 : 3)
}
