// The values of the chart: one JSON schema, of which values.yaml, values.schema.json and the table in the README are made.

const text = (fallback, description, more = {}) => ({ type: 'string', default: fallback, description, ...more })
const needed = (description, more = {}) => text('', description, { minLength: 1, isNeeded: true, ...more })
const flag = (fallback, description) => ({ type: 'boolean', default: fallback, description })
const map = (description, values = { type: 'string' }, fallback = {}) => ({
  type: 'object',
  default: fallback,
  description,
  additionalProperties: values,
})
const list = (description, items) => ({ type: 'array', default: [], description, items })
/** What Kubernetes checks itself, by the schema of its own server. */
const free = (fallback, description) => ({
  type: Array.isArray(fallback) ? 'array' : 'object',
  default: fallback,
  description,
})

/** A wrong word is answered with the right ones: a validator prints the names that it takes. */
function object(properties, description) {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    propertyNames: { enum: Object.keys(properties) },
    properties,
  }
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const name = { pattern: `^(${label}(\\.${label})*)?$` }
const url = { pattern: '^(https?://[^\\s]+)?$' }

const image = (what, repository) =>
  object(
    {
      repository: text(repository, `Image of ${what}: your registry and this name, without the tag.`, { minLength: 1 }),
      tag: text('', 'Its tag. Empty: `v` and the version of the program that this chart was made with.'),
      digest: text('', 'Its digest, which goes before the tag.', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
      pullPolicy: {
        enum: ['Always', 'IfNotPresent', 'Never'],
        default: 'IfNotPresent',
        description: 'When it is pulled.',
      },
    },
    `The image of ${what}.`,
  )

const secret = (what, key) => ({
  secretName: text('', `Secret with ${what}.`, name),
  secretKey: text(key, 'Its key there.', { minLength: 1 }),
})

const words = (pattern, description) => text('', description, { pattern })
const positive = (description) => ({ type: 'integer', minimum: 1, description })

/** Of the memory service's settings (docs/memory.md) those that no other value of it is for. */
const memorySettings = {
  DATABASE_ANSWER_SECONDS: positive('Seconds that PostgreSQL may take for one statement.'),
  GRAPH_SPACE: { type: 'string', description: 'Separates the graphs of this Project from others on one Neo4j.' },
  INGEST_ITEM_TIMEOUT: positive('Seconds that one attempt at an item may take.'),
  LOG_LEVEL: { enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'], description: 'What the service logs.' },
  OIDC_ALGORITHMS: { type: 'string', description: 'Accepted signatures, with commas between.' },
  OIDC_TOKEN_TYPES: { type: 'string', description: 'Accepted values of `typ`, with commas between.' },
  OPEN_DOCUMENTS: { type: 'boolean', description: 'Whether `/openapi.json` and `/docs` need no token.' },
  READINESS_CHECKS: words('^((store|engine|graph)(,(store|engine|graph))*)?$', 'Checks of `/readyz`.'),
  WORKER_POOL_SIZE: positive('How many items are stored at once, and how many jobs run at once.'),
}

const memoryService = {
  ...object({
    project: text('', 'Its Project, `<namespace>/<name>`. Needed.', {
      pattern: `^${label}/[a-z0-9-]{1,52}$`,
    }),
    isPublic: flag(true, 'Whether Ingress and HTTPRoute route it. Its callers need a token.'),
    host: text('', 'A host of its own that they route to it. Empty: the host of the orchestrator.', name),
    tlsSecretName: text('', 'Secret with the certificate of that host, for the Ingress. Empty: without TLS.', name),
    path: text(
      '',
      'Prefix that they route to it. Empty: `/api/v1/memory` on a host of its own, else `/api/v1/memory/<name>`.',
      {
        pattern: '^(/api/v1/memory(/[A-Za-z0-9._-]+)*)?$',
      },
    ),
    database: {
      ...object(secret('the address of a PostgreSQL database of its own, which has pgvector. Needed', 'url')),
      required: ['secretName'],
    },
    engine: object({
      url: text('', 'Address of LightRAG as the retrieval engine. Empty: the embedded engine.', url),
      ...secret('its key. Empty: it takes none', 'api-key'),
    }),
    embeddings: object({
      url: text('', 'Address of an API with `/embeddings`, for the embedded engine. Empty: none.', url),
      model: text('', 'Its model. Needed with `url`.'),
      ...secret('its key. Empty: it takes none', 'api-key'),
    }),
    graph: object(secret('the address of Neo4j with user and password. Empty: PostgreSQL has the code graph', 'url')),
    settings: { ...object(memorySettings, 'Further settings by their names in docs/memory.md.'), default: {} },
    extraEnv: free([], 'Further variables, as a container has them.'),
    extraVolumes: free([], 'Further volumes of its pod.'),
    extraVolumeMounts: free([], 'Further mounts of its container.'),
    resources: free({}, '`requests` and `limits`. Empty: `memoryResources`.'),
  }),
  required: ['project', 'database'],
}

const pullSecrets = (description) =>
  list(description, {
    type: 'object',
    propertyNames: { enum: ['name'] },
    properties: { name: { type: 'string' } },
    required: ['name'],
  })

/** The orchestrator takes quantities as text alone. */
const partResources = (part, usual) => ({
  ...free({}, `\`requests\` and \`limits\` of ${part}, each quantity in quotation marks. Empty: ${usual}.`),
  propertyNames: { enum: ['requests', 'limits'] },
  additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
})

/** As MEMORY_STACKS has them (docs/memory.md). */
const memoryStacks = object({
  enabled: flag(
    false,
    'Whether each Project with the block `memory` gets a memory stack in its namespace, with a service of `memoryImage`. `memory.urls` and `memoryServices` go before it. It takes the rights of `statewright rbac --memory-stacks`.',
  ),
  postgresImage: text(
    '',
    'PostgreSQL with pgvector, where there is no CloudNativePG. Empty: `pgvector/pgvector:pg17`.',
  ),
  neo4jImage: text('', 'Neo4j of the profile `full`. Empty: `neo4j:5.26-community`.'),
  lightragImage: text('', 'LightRAG of the profile `full`. Empty: `hkuds/lightrag:v1.4.9.7`.'),
  imagePullSecrets: pullSecrets('Secrets by which their images are pulled, in each namespace of Projects: `[{name}]`.'),
  cloudNativePg: object({
    enabled: flag(true, 'False: PostgreSQL is one StatefulSet also where CloudNativePG is installed.'),
    image: text('', 'Image with PostgreSQL and pgvector for CloudNativePG, in place of a catalog.'),
    kind: {
      enum: ['ClusterImageCatalog', 'ImageCatalog'],
      default: 'ClusterImageCatalog',
      description: 'Kind of the catalog where CloudNativePG finds them.',
    },
    name: text('', 'Its name. Empty: `postgresql-minimal-trixie`, the ClusterImageCatalog, with 18.', name),
    major: { type: 'integer', minimum: 1, default: 18, description: 'Major version of PostgreSQL there.' },
  }),
  storageClass: text('', 'Class of all claims. Empty: the default of the cluster.', name),
  tokenTypes: text('', '`OIDC_TOKEN_TYPES` of the services. Empty: their default.'),
  embeddings: object({
    url: text('', 'Address of an API with `/embeddings`, for the embedded engine of `light`. Empty: none.', url),
    model: text('', 'Its model. Needed with `url`.'),
    ...secret('its key, in each namespace of Projects. Empty: it takes none', 'api-key'),
  }),
  lightrag: object({
    variables: map('Variables of LightRAG for its model and embeddings, such as `LLM_BINDING_HOST`.'),
    secretName: text('', 'Secret with further ones, in each namespace of Projects.', name),
  }),
  resources: object({
    service: partResources('the service', '256Mi, at most 1Gi'),
    postgres: partResources('each PostgreSQL', '256Mi, at most 1Gi'),
    neo4j: partResources('Neo4j', '1Gi, at most 2Gi'),
    lightrag: partResources('LightRAG', '512Mi, at most 1Gi'),
  }),
})

/** @param settings properties of the settings that have no value of their own, by their names. */
export const valuesSchema = (settings) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Values of the Statewright chart',
  ...object({
    // Helm hands these to a chart that another one contains.
    global: free({}, 'Values of a chart that contains this one. This chart reads none of them.'),
    fullnameOverride: text('', 'Name of every object. Empty: the name of the release.', {
      pattern: '^([a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?)?$',
    }),
    replicas: {
      type: 'integer',
      minimum: 0,
      default: 1,
      description: 'Processes of the orchestrator: 1, or 0 to stop it. An upgrade is a stop and a start.',
    },
    image: image('the orchestrator', 'statewright-orchestrator'),
    wrapperImage: image('the agents’ pods, for Projects that name none', 'statewright-wrapper'),
    imagePullSecrets: pullSecrets(
      'Secrets by which the images of the orchestrator and of memory services are pulled: `[{name}]`.',
    ),
    namespaces: list('Namespaces whose resources count. Empty: the one of the release. They must be there.', {
      type: 'string',
      pattern: `^${label}$`,
    }),
    allNamespaces: flag(
      false,
      'Whether the resources of all namespaces count. It takes a ClusterRole that reads every Secret.',
    ),
    agentNamespaces: list(
      'With `allNamespaces`: the namespaces where Projects live, beside that of the release. Each gets the ServiceAccount and the network policies of agents. They must be there.',
      { type: 'string', pattern: `^${label}$` },
    ),
    crds: object({
      install: flag(true, 'Whether the chart brings the definitions of the six kinds. An uninstall keeps them.'),
    }),
    rbac: object({
      create: flag(true, 'Whether the chart brings roles and bindings. Without: `statewright rbac` prints them.'),
    }),
    serviceAccount: object({
      create: flag(true, 'Whether the chart brings the ServiceAccount of the orchestrator.'),
      name: text('', 'Its name. Empty: the one of the release.', name),
      annotations: map('Annotations of it.'),
    }),
    database: object(secret('the address of PostgreSQL, `postgres://user:password@host/database`. Needed', 'url')),
    oidc: object({
      issuer: needed('Issuer of the identity provider.', url),
      audience: needed('Audience of the tokens that operators bring.'),
      wrapperAudience: needed('Audience of the tokens that the orchestrator brings to pods.'),
      clientId: needed('Client id of the orchestrator.'),
      ...secret('the secret of that client. Needed', 'client-secret'),
    }),
    model: object({
      ...secret('the key of the model provider. Needed', 'api-key'),
      credential: {
        enum: ['apiKey', 'oauthToken'],
        default: 'apiKey',
        description: 'What that key is: one of the API, or the token of a subscription.',
      },
      baseUrl: text('', 'Address of the model provider. Empty: the public one.', url),
    }),
    keysSecretName: text(
      '',
      'Secret with the keys `signing.pem` (Ed25519, PKCS 8) and `session` of this installation. Empty: the chart makes one and keeps it. Name one where manifests are rendered without a cluster: the chart would make new keys each time.',
      name,
    ),
    callbackHmacSecretName: text(
      'statewright-callback',
      'Secret with the key `callback-hmac-secret`, by which pods sign their callbacks. The chart makes it where it is not there, and keeps it.',
      { ...name, minLength: 1 },
    ),
    callbackHmacSecretExists: flag(
      false,
      'Whether that Secret is yours: the chart makes none. Say so where manifests are rendered without a cluster: the chart would make another secret each time.',
    ),
    urls: object({
      operator: text('', 'Address by which pods reach the public listener. Empty: the Service.', url),
      internal: text('', 'Address by which pods reach the internal listener. Empty: the Service.', url),
      public: text(
        '',
        'Address by which forges and people reach the orchestrator. Empty: the host of the ingress, or the Service.',
        url,
      ),
    }),
    timeZone: text('UTC', 'Time zone of all schedules, such as `Europe/Berlin`.', { minLength: 1 }),
    skillsRepoUrl: text('', 'Repository of skills that each pod clones. Empty: no skills.', url),
    workspaces: flag(
      false,
      'Whether pods get claims: one for each Task and a cache for each Project. They need a ReadWriteMany class.',
    ),
    agentRunAsNonRoot: flag(false, 'Whether an agent’s pod starts as root never. It needs `agentRunAsUser`.'),
    agentRunAsUser: {
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
      description: 'Number of the user in agents’ pods. Empty: the image’s.',
    },
    agentFsGroup: {
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
      description: 'Number of the group that owns their volumes. Empty: none.',
    },
    agentResources: free({}, '`requests` and `limits` of an agent’s wrapper.'),
    agentServiceAccountName: text(
      '',
      'ServiceAccount of agents’ pods, which needs no right. Empty: the chart brings one into each namespace. No token of it is mounted.',
      name,
    ),
    agentCli: list('Command of the agent CLI in the wrapper’s image. Empty: the one that the image brings.', {
      type: 'string',
      minLength: 1,
    }),
    memory: object({
      urls: map(
        'Knowledge service by Project: `<namespace>/<name>`, or a name alone for one in `default`, and its address. It goes before `memoryServices`.',
        {
          type: 'string',
          ...url,
          minLength: 1,
        },
      ),
      publicUrls: map(
        'Addresses of those in `urls` from outside of the cluster, in the same form: the status of a Project shows its own.',
        {
          type: 'string',
          ...url,
          minLength: 1,
        },
      ),
      audience: text('', 'Audience of the knowledge services.'),
      clientId: text('', 'Client id with which pods ask for tokens of it.'),
      ...secret('the secret of that client', 'client-secret'),
    }),
    memoryServices: {
      type: 'object',
      default: {},
      description:
        'Memory services that the chart brings into the namespace of the release, by names of yours: one for each Project. Their Secrets stand there too.',
      propertyNames: { pattern: `^${label}$` },
      additionalProperties: memoryService,
    },
    memoryImage: image('memory services', 'statewright-memory'),
    memoryResources: free(
      { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
      '`requests` and `limits` of each memory service.',
    ),
    memoryStacks,
    settings: {
      ...object(settings, 'Further settings of the orchestrator by their names in docs/settings.md.'),
      default: {},
    },
    extraEnv: free([], 'Further variables of the orchestrator, as a container has them.'),
    extraVolumes: free([], 'Further volumes of the orchestrator’s pod.'),
    extraVolumeMounts: free([], 'Further mounts of its container.'),
    resources: free(
      { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '1Gi' } },
      '`requests` and `limits` of the orchestrator.',
    ),
    podAnnotations: map('Annotations of the orchestrator’s pod.'),
    podLabels: map('Labels of the orchestrator’s pod.'),
    nodeSelector: map('Nodes for the orchestrator and memory services.'),
    tolerations: free([], 'Taints that they tolerate.'),
    affinity: free({}, 'Affinity of the orchestrator.'),
    priorityClassName: text('', 'Priority class of the orchestrator.', name),
    terminationGracePeriodSeconds: {
      type: 'integer',
      minimum: 20,
      default: 60,
      description: 'How long a graceful stop may take: longer than the Lease, which lasts 15 seconds.',
    },
    inspector: object({
      isPublic: flag(false, 'Whether the ingress routes the inspector.'),
      clientId: text(
        '',
        'Client id with which people’s browsers sign in. Its redirect URI at the provider is `/inspector/callback` below the public address. Empty: the inspector opens by links alone.',
      ),
      ...secret('the secret of that client. Empty: the client is public', 'client-secret'),
      scope: text('openid', 'Scopes that it asks for, with spaces between, `openid` among them.', { minLength: 1 }),
      loginClaim: text(
        '',
        'Claim of people’s tokens that has their login on the forge, for the board of the inspector. Empty: people type it.',
      ),
    }),
    operatorApi: object({
      isPublic: flag(
        false,
        'Whether the ingress routes what `statewright login` and the operator’s commands ask. Without it they go by `kubectl port-forward`.',
      ),
    }),
    ingress: object({
      enabled: flag(false, 'Whether the chart brings an Ingress.'),
      className: text('', 'Its class. Empty: the default of the cluster.', name),
      host: text('', 'Its host. Needed.', name),
      annotations: map('Its annotations.'),
      tlsSecretName: text('', 'Secret with the certificate of the host. Empty: no TLS here.', name),
    }),
    gateway: object({
      enabled: flag(false, 'Whether the chart brings an HTTPRoute of the Gateway API.'),
      parentRefs: free([], 'Gateways that it belongs to. Needed.'),
      host: text('', 'Its host. Needed.', name),
      annotations: map('Its annotations.'),
    }),
    memoryRoutes: list(
      'Memory services of others that Ingress and HTTPRoute reach from outside: `{service, port, path}`. Those of `memoryServices` need no entry. The service needs the path as its `BASE_PATH`, under which nothing operational answers: a route that strips it would lead to `/metrics`.',
      {
        type: 'object',
        propertyNames: { enum: ['service', 'port', 'path'] },
        properties: {
          service: { type: 'string', pattern: `^${label}$` },
          port: { type: 'integer', minimum: 1, maximum: 65535 },
          path: { type: 'string', pattern: '^/api/v1/memory(/[A-Za-z0-9._-]+)*$' },
        },
        required: ['service'],
      },
    ),
    networkPolicy: object({
      create: flag(true, 'Whether the chart brings network policies. The network of the cluster must enforce them.'),
      memoryPodLabels: map(
        'Labels of the pods of memory services, in any namespace.',
        { type: 'string' },
        { 'app.kubernetes.io/component': 'memory' },
      ),
      agentEgress: free(
        [],
        'Further rules of egress for agents’ pods, such as to a model provider outside of the cluster.',
      ),
      operatorIngressFrom: free(
        [],
        'Peers that may reach the public listener, such as the ingress controller. Empty: every one.',
      ),
      memoryEgress: free(
        [],
        'Further rules of egress for memory services, such as to PostgreSQL at another port than 5432 or to a proxy.',
      ),
      memoryIngressFrom: free(
        [],
        'Further peers that may reach memory services, such as jobs that ingest. An ingress controller comes from `operatorIngressFrom`.',
      ),
      metricsFrom: free(
        [],
        'Peers that may read metrics at the internal listener and at memory services, such as the namespace of Prometheus.',
      ),
      cloudNativePgNamespace: text(
        'cnpg-system',
        'Namespace of the operator CloudNativePG, which reaches PostgreSQL of memory stacks.',
        { ...name, minLength: 1 },
      ),
    }),
    releaseHook: flag(true, 'Whether an uninstall takes our finalizers off, so that namespaces can end.'),
    monitoring: object({
      serviceMonitor: flag(
        false,
        'Whether the chart brings a ServiceMonitor of the Prometheus operator. `networkPolicy.metricsFrom` must name Prometheus.',
      ),
      rules: flag(false, 'Whether it brings a PrometheusRule with the alerts of docs/runbooks.'),
      dashboards: flag(
        false,
        'Whether it brings Grafana dashboards, as ConfigMaps with the label `grafana_dashboard`.',
      ),
      labels: map('Labels by which the Prometheus operator selects the first two.'),
      runbookUrl: text(
        '',
        'Address of the folder docs/runbooks, for links in alerts. Empty: a path in the repository.',
        url,
      ),
    }),
  }),
})
