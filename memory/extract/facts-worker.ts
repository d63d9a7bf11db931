/** A worker thread that parses: one source at a time, because its parsers are not shared. */
import { parentPort, workerData } from 'node:worker_threads'
import { grammars } from './grammars.ts'
import { languageNamed } from './languages.ts'
import type { FactsAnswer, FactsQuestion } from './facts-pool.ts'

const { programDir } = workerData as { readonly programDir: string }
const parsers = grammars(programDir)

parentPort?.on('message', ({ language, source }: FactsQuestion) => {
  parsers.facts(languageNamed(language), source).then(
    (facts) => answer({ facts }),
    () => answer({}),
  )
})

function answer(given: FactsAnswer): void {
  parentPort?.postMessage(given)
}
