import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { requestIdMember, type Spelling } from '../problems/problem.ts'
import { problemCodes } from '../problems/problem-codes.ts'

export interface OpenApiInfo {
  readonly title: string
  readonly description: string
  /**
   * How problems are documented: as `default` of every operation (unless told), or `listed`, each status that the
   * operation may answer. 500 is listed nowhere: it is a bug of ours, never an answer to rely on.
   */
  readonly problems?: 'default' | 'listed'
}

const problemStatuses = 'x-problems'

interface Operation {
  responses?: Record<string, unknown>
  [problemStatuses]?: readonly number[]
}

interface Documented {
  readonly body?: unknown
  readonly params?: unknown
  readonly querystring?: unknown
  readonly headers?: unknown
}

interface Document {
  components?: { schemas?: Record<string, unknown>; [section: string]: unknown }
  paths?: Record<string, Record<string, Operation>>
}

/** Collects every route from now on into one OpenAPI 3.1 document, made of the schemas that validate. */
export async function collectOpenApi(
  app: FastifyInstance,
  {
    version,
    info,
    authenticated,
    spelling,
  }: {
    readonly version: string
    readonly info: OpenApiInfo
    readonly authenticated: boolean
    readonly spelling: Spelling
  },
): Promise<void> {
  const { problems = 'default', ...words } = info
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...words, version },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      ...(authenticated ? { security: [{ bearer: [] }] } : {}),
    },
    transform: ({ schema, url, route }) => {
      const { auth, documentedBody, problems: own = [] } = route.config ?? {}
      const isOpen = auth === false || (auth === undefined && !authenticated)
      const shown = { ...schema, ...(documentedBody === undefined ? {} : { body: documentedBody }) }
      return {
        schema: {
          ...shown,
          ...securityOf(auth, authenticated),
          ...(problems === 'listed' ? { [problemStatuses]: statusesOf(shown as Documented, isOpen, own) } : {}),
        },
        url,
      }
    },
    transformObject: (given) =>
      withProblems(('openapiObject' in given ? given.openapiObject : {}) as Document, spelling) as object,
  })
}

/** What differs from the document as a whole. */
function securityOf(
  auth: false | object | undefined,
  authenticated: boolean,
): { readonly security?: readonly { readonly [scheme: string]: readonly string[] }[] } {
  if (auth === false) return authenticated ? { security: [] } : {}
  return auth !== undefined && !authenticated ? { security: [{ bearer: [] }] } : {}
}

function statusesOf(schema: Documented, isOpen: boolean, own: readonly number[]): readonly number[] {
  const takesInput = [schema.body, schema.params, schema.querystring, schema.headers].some((part) => part !== undefined)
  return [
    ...(takesInput ? [400] : []),
    ...(isOpen ? [] : [401, 503]),
    ...(schema.body === undefined ? [] : [413, 415]),
    ...own,
  ]
}

/** Any operation may answer a problem: said once as `default` or for each status; a route's own entries stay in place. */
function withProblems(document: Document, spelling: Spelling): Document {
  const reference = { $ref: '#/components/responses/Problem' }
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    const { [problemStatuses]: statuses } = operation
    delete operation[problemStatuses]
    const added = statuses?.map((status) => [String(status), reference] as const) ?? [['default', reference] as const]
    const { default: _none, ...declared } = operation.responses ?? {}
    operation.responses = { ...Object.fromEntries(added), ...(statuses ? declared : operation.responses) }
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...document.components?.schemas, Problem: problemSchema(spelling) },
      responses: { Problem: { description: 'A problem (RFC 9457).', content } },
    },
  }
}

const problemSchema = (spelling: Spelling): object => ({
  type: 'object',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string', description: '`urn:statewright:problem:<code>`' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    [requestIdMember[spelling]]: { type: 'string', description: 'Absent where the request could not be read at all.' },
    errors: {
      type: 'array',
      description: 'Every violation. Only with `invalid-input`.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          in: { type: 'string', enum: ['path', 'query', 'header'], description: 'Absent if the fault is in the body.' },
          path: { type: 'string', description: 'A JSON Pointer.' },
          message: { type: 'string' },
        },
      },
    },
  },
})
