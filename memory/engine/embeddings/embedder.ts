import { Type } from 'typebox'
import { withDeadline } from '../../../http/deadline.ts'
import type { Fetch } from '../../../http/ports.ts'
import { faultsOf } from '../../../http/problems/validation.ts'
import type { Clock } from '../../../runtime/clock.ts'

export interface Embedder {
  readonly model: string
  /** One vector a text, all of one length. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
}

export interface EmbedderOptions {
  /** The base of an OpenAI-compatible API: `/embeddings` is asked below it. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
  readonly fetch: Fetch
  readonly clock: Clock
}

/** Enough for a small model on a busy machine; a query does not wait for more. */
const answerMs = 20_000
/** What servers of this API take in one request. */
const mostTexts = 64

const Answer = Type.Object({
  data: Type.Array(
    Type.Object({ index: Type.Integer({ minimum: 0 }), embedding: Type.Array(Type.Number(), { minItems: 1 }) }),
  ),
})

export function createEmbedder(options: EmbedderOptions): Embedder {
  return {
    model: options.model,
    async embed(texts) {
      const vectors: (readonly number[])[] = []
      for (let from = 0; from < texts.length; from += mostTexts) {
        vectors.push(...(await ask(options, texts.slice(from, from + mostTexts))))
      }
      return vectors
    },
  }
}

async function ask(
  { url, model, apiKey, fetch, clock }: EmbedderOptions,
  input: readonly string[],
): Promise<(readonly number[])[]> {
  return withDeadline(clock, answerMs, async (signal) => {
    const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) }
    const body = JSON.stringify({ model, input, encoding_format: 'float' })
    const answer = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'error',
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new Error(`the embeddings endpoint answered ${answer.status}`)
    }
    return vectorsOf(await answer.json(), input.length)
  })
}

function vectorsOf(value: unknown, expected: number): (readonly number[])[] {
  const [fault] = faultsOf(Answer, value)
  if (fault)
    throw new Error(`the embeddings endpoint sent an answer that breaks its schema: ${fault.path} ${fault.message}`)
  const { data } = value as { data: { index: number; embedding: number[] }[] }
  const vectors = data.toSorted((a, b) => a.index - b.index).map((one) => one.embedding)
  const isWhole = vectors.length === expected && vectors.every((one) => one.length === vectors[0]!.length)
  if (!isWhole) throw new Error('the embeddings endpoint returned other vectors than one for each text')
  return vectors
}
