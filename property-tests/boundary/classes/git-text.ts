/** A file of git's configuration, each entry `section.key` or `section.any name.key`. */
export function configText(entries: Iterable<readonly [key: string, value: string]>): string {
  return [...entries].map(([key, value]) => entryText(key, value)).join('')
}

function entryText(key: string, value: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  const section = key.slice(0, first)
  const named = first === last ? '' : ` "${escaped(key.slice(first + 1, last))}"`
  return `[${section}${named}]\n\t${key.slice(last + 1)} = "${escaped(value)}"\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}
