interface Described {
  readonly description?: string
  readonly summary?: string
}

interface Parameter extends Described {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>
}

interface Operation extends Described {
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Described & Content & { readonly $ref?: string }>>
}

/** As much of an OpenAPI document as the page shows. */
export interface OpenApiDocument {
  readonly info: Described & { readonly title: string; readonly version: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> }
}

const style = `
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f4f5f7;padding:.75rem;overflow:auto;border-radius:6px}
section{border-top:1px solid #d6dae0;padding:.5rem 0 1rem}h2 b{display:inline-block;min-width:4.5rem}
h2{font-size:1.05rem}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}
nav a{margin-right:1rem}@media(prefers-color-scheme:dark){body{background:#15181c;color:#e4e7eb}pre{background:#20252b}
a{color:#8ab4f8}section{border-color:#343a42}}`

/** The API's documentation as one page that needs nothing else: no script, no font, no other server. */
export function renderDocs(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(path, method, operation)),
  )
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => renderSchema(name, schema))
  const { title, version, description = '' } = document.info
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)} ${escape(version)}</title><style>${style}</style>
<h1>${escape(title)} <small>${escape(version)}</small></h1><p>${escape(description)}</p>
<nav><a href="openapi.json">openapi.json</a></nav>
${operations.join('\n')}
${schemas.join('\n')}</html>`
}

function renderOperation(path: string, method: string, operation: Operation): string {
  const words = [operation.summary, operation.description].filter((text) => text !== undefined)
  return `<section id="${escape(`${method}-${path}`)}"><h2><b>${escape(method.toUpperCase())}</b> <code>${escape(path)}</code></h2>
${words.map((text) => `<p>${escape(text)}</p>`).join('')}${renderParameters(operation.parameters ?? [])}
${renderContent('Body', operation.requestBody)}${renderResponses(operation.responses ?? {})}</section>`
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: location, required, description = '', schema }) =>
      `<tr><td><code>${escape(name)}</code>${required === true ? ' *' : ''}<td>${escape(location)}<td><code>${escape(JSON.stringify(schema ?? {}))}</code><td>${escape(description)}`,
  )
  return `<table><tr><th>Parameter<th>In<th>Schema<th>${rows.join('')}</table>`
}

function renderResponses(responses: NonNullable<Operation['responses']>): string {
  return Object.entries(responses)
    .map(([status, response]) => {
      const link = response.$ref === undefined ? '' : ' <a href="#schema-Problem">problem</a>'
      const words = response.description === 'Default Response' ? '' : (response.description ?? '')
      return `<h3>${escape(status)}${link} ${escape(words)}</h3>${renderContent('', response)}`
    })
    .join('')
}

function renderContent(title: string, given: Content | undefined): string {
  return Object.entries(given?.content ?? {})
    .map(([type, { schema }]) => `<p>${title} <code>${escape(type)}</code></p>${pretty(schema)}`)
    .join('')
}

function renderSchema(name: string, schema: unknown): string {
  return `<section id="schema-${escape(name)}"><h2>${escape(name)}</h2>${pretty(schema)}</section>`
}

function pretty(schema: unknown): string {
  return schema === undefined ? '' : `<pre>${escape(JSON.stringify(schema, null, 2))}</pre>`
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
