/** The program of the command space: answers the wrapper's requests, one line each, until its input ends. */
import { createInterface } from 'node:readline'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { operations, RequestLine, type CloneOperations, type Operation } from '../requests.ts'
import { createInsideGit } from './git.ts'
import { createCloneOperations } from './clone-operations.ts'

const Parameters = Type.Object({
  path: Type.String(),
  identity: Type.Object({ login: Type.String(), email: Type.String() }),
  workspaceDir: Type.String(),
})

const parameters: unknown = JSON.parse(process.argv[2] ?? 'null')
if (!Check(Parameters, parameters)) throw new Error('the workspace worker is started by the wrapper')
const clones = createCloneOperations(createInsideGit(parameters), parameters.workspaceDir)

createInterface({ input: process.stdin }).on('line', (line) => {
  const asked: unknown = JSON.parse(line)
  if (!Check(RequestLine, asked)) throw new Error('a request that the protocol does not know')
  void answer(clones, asked.operation, asked.request).then(
    (answer) => process.stdout.write(`${JSON.stringify({ id: asked.id, answer })}\n`),
    (error: Error) => process.stdout.write(`${JSON.stringify({ id: asked.id, error: error.message })}\n`),
  )
})

async function answer(clones: CloneOperations, operation: string, request: unknown): Promise<unknown> {
  if (!isOperation(operation) || !Check(operations[operation].request, request))
    throw new Error(`${operation} was asked for in a way that the protocol does not know`)
  return (clones[operation] as (request: unknown) => Promise<unknown>)(request)
}

function isOperation(text: string): text is Operation {
  return Object.hasOwn(operations, text)
}
