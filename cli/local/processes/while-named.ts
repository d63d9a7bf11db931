/** What is over sooner needs no line. */
const afterMs = 2_000

interface Steps {
  /** Ends the one before. */
  begin(step: string): void
  end(): void
}

/** Names each step that lasts. */
export function namedSteps(write: (text: string) => void): Steps {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    begin: (step) => {
      end()
      timer = setTimeout(() => write(`${step} …`), afterMs)
    },
    end,
  }
}

/** Names a step while it lasts. */
export async function whileNamed<T>(write: (text: string) => void, step: string, work: Promise<T>): Promise<T> {
  const steps = namedSteps(write)
  steps.begin(step)
  try {
    return await work
  } finally {
    steps.end()
  }
}
