import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { problemCodes } from './problem-codes.ts'

export interface OpenApiInfo {
  readonly title: string
  readonly description: string
}

interface Operation {
  responses?: Record<string, unknown>
}

interface Document {
  components?: { schemas?: Record<string, unknown>; [section: string]: unknown }
  paths?: Record<string, Record<string, Operation>>
}

/** Collects every route from now on into one OpenAPI 3.1 document, made of the schemas that validate. */
export async function collectOpenApi(
  app: FastifyInstance,
  version: string,
  info: OpenApiInfo,
  authenticated: boolean,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, version },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      ...(authenticated ? { security: [{ bearer: [] }] } : {}),
    },
    transform: ({ schema, url, route }) => ({
      schema: route.config?.auth === false ? { ...schema, security: [] } : schema,
      url,
    }),
    transformObject: (given) =>
      withProblems(('openapiObject' in given ? given.openapiObject : {}) as Document) as object,
  })
}

/** Any operation may answer a problem: said once as `default`, which a route's own entries leave in place. */
function withProblems(document: Document): Document {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    operation.responses = { default: { $ref: '#/components/responses/Problem' }, ...operation.responses }
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...document.components?.schemas, Problem: problemSchema },
      responses: { Problem: { description: 'A problem (RFC 9457).', content } },
    },
  }
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: '`urn:statewright:problem:<code>`' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      description: 'Every violation, of `invalid-input`.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          in: { type: 'string', enum: ['path', 'query', 'header'], description: 'Absent: the body.' },
          path: { type: 'string', description: 'A JSON Pointer.' },
          message: { type: 'string' },
        },
      },
    },
  },
} as const
