/** The service refuses U+0000, and takes lone surrogates only replaced. */
export function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
