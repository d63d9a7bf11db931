/** How a column's text becomes a value, by type OID: one table for both drivers (see `sql.ts`). */
type ParseText = (text: string) => unknown

const int8 = 20
const json = 114
const jsonb = 3802
const date = 1082
const timestamp = 1114
const timestamptz = 1184

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond what a number holds exactly`)
  return value
}

function asText(text: string): string {
  return text
}

export const resultParsers: Readonly<Record<number, ParseText>> = {
  [int8]: parseInt8,
  [json]: JSON.parse,
  [jsonb]: JSON.parse,
  [date]: asText,
  [timestamp]: asText,
  [timestamptz]: asText,
}
