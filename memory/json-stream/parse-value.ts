import { jsonFault, keyFault } from '../../http/problems/plain-input.ts'

export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** One value of a document. Parsed objects may not bring a prototype of their own. */
export function parseValue(bytes: Buffer): unknown {
  const value = parsed(textOf(bytes))
  const fault = jsonFault(value)
  if (fault !== undefined) throw new JsonSyntaxError(fault)
  return value
}

export function requirePlainKey(key: string): void {
  const fault = keyFault(key)
  if (fault !== undefined) throw new JsonSyntaxError(fault)
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new JsonSyntaxError('the body is not UTF-8', { cause: error })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new JsonSyntaxError('the body is not valid JSON', { cause: error })
  }
}
