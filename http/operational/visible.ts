/** Controls but the tab, marks that turn the direction of a text, line separators. All have four digits. */
const unseen = /(?!\t)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** What a terminal would obey, by its number, as JSON has it: of a line of JSON the value is the same. */
export function visible(line: string): string {
  return line.replaceAll(unseen, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
