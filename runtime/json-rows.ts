/** JSON that a diff can read: the outer levels have one entry a line, and what lies deeper stays compact in its line. */
export function jsonRows(value: unknown, levels: number): string {
  return `${textOf(value, levels, '')}\n`
}

function textOf(value: unknown, levels: number, indent: string): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent} `
  if (Array.isArray(value))
    return block(
      value.map((each) => textOf(each, levels - 1, inner)),
      '[]',
      indent,
    )
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return block(
    entries.map(([name, each]) => `${JSON.stringify(name)}: ${textOf(each, levels - 1, inner)}`),
    '{}',
    indent,
  )
}

function block(lines: readonly string[], brackets: '[]' | '{}', indent: string): string {
  if (lines.length === 0) return brackets
  return `${brackets[0]}\n${lines.map((line) => `${indent} ${line}`).join(',\n')}\n${indent}${brackets[1]}`
}
