/** Bytes of UTF-8 that `JSON.stringify` builds from now on, until the function that it returns ends that. */
export function countJson(): () => number {
  const original = JSON.stringify
  let bytes = 0
  JSON.stringify = function stringify(...given: unknown[]) {
    const text = Reflect.apply(original, JSON, given) as string | undefined
    if (text !== undefined) bytes += Buffer.byteLength(text)
    return text
  } as typeof original
  return () => {
    JSON.stringify = original
    return bytes
  }
}
