/** What is over sooner needs no line. */
const afterMs = 2_000

/** Names a step while it lasts. */
export async function whileNamed<T>(write: (text: string) => void, step: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => write(`${step} …`), afterMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
