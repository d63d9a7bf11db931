/** Settings of the memory service (docs/memory.md), but for what its place decides: where it lies, listens, and whom it believes. */
type Environment = Readonly<Record<string, string | undefined>>

const plain = [
  'BASE_PATH',
  'DATABASE_ANSWER_SECONDS',
  'EMBEDDINGS_MODEL',
  'EMBEDDINGS_URL',
  'ENGINE_URL',
  'GRAPH_SPACE',
  'INGEST_ITEM_TIMEOUT',
  'LOG_LEVEL',
  'OIDC_ALGORITHMS',
  'OIDC_TOKEN_TYPES',
  'OPEN_DOCUMENTS',
  'READINESS_CHECKS',
  'WORKER_POOL_SIZE',
] as const

export const memorySecrets = ['EMBEDDINGS_API_KEY', 'ENGINE_API_KEY', 'GRAPH_URL'] as const

/** An engine and a space of graphs are one Project's. */
const ofOneProject = new Set<string>(['ENGINE_API_KEY', 'ENGINE_URL', 'GRAPH_SPACE'])

/** Those that an environment has, each as it is given there: by itself, or as `<NAME>_FILE`. */
export function memorySettings(env: Environment): Record<string, string> {
  return only([...plain, ...memorySecrets], env)
}

/** Those that each of several Projects may have. */
export function sharedSettings(settings: Readonly<Record<string, string>>): Record<string, string> {
  const names = [...plain, ...memorySecrets].filter((name) => !ofOneProject.has(name))
  return only(names, settings)
}

function only(names: readonly string[], env: Environment): Record<string, string> {
  return Object.fromEntries(
    names
      .flatMap((name) => [name, `${name}_FILE`])
      .flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
}
