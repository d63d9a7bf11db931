import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../on-node-24.mjs'
import { valuesSchema } from './chart/values.mjs'

const folder = 'deploy/chart'
const owned = ['crds/', 'rules.yaml']
const by = 'bin/generators/chart.mjs (npm run generate). Not edited by hand.'

/** Settings that the chart gives by values of its own, or that have no use in a cluster. The others stand below `settings`. */
const ofTheChart = [
  ...[
    'STATE_DIR',
    'KEYS_DIR',
    'PLACE',
    'KUBECONFIG',
    'WATCH_NAMESPACES',
    'LEASE_NAMESPACE',
    'LOCAL_PODS',
    'COVERED_DIR',
  ],
  ...['AGENT_IMAGE', 'AGENT_RUN_AS_NON_ROOT', 'AGENT_RUN_AS_USER', 'AGENT_FS_GROUP', 'AGENT_RESOURCES'],
  ...['AGENT_SERVICE_ACCOUNT', 'AGENT_CLI', 'WORKSPACES', 'DATABASE_URL', 'OWNER', 'HTTP_ADDR', 'INTERNAL_ADDR'],
  ...[
    'OPERATOR_URL',
    'INTERNAL_URL',
    'PUBLIC_URL',
    'CRON_TIME_ZONE',
    'OIDC_ISSUER',
    'OIDC_AUDIENCE',
    'WRAPPER_AUDIENCE',
  ],
  ...[
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'INSPECTOR_CLIENT_ID',
    'INSPECTOR_CLIENT_SECRET',
    'INSPECTOR_SCOPE',
    'INSPECTOR_LOGIN_CLAIM',
    'MEMORY_URLS',
    'MEMORY_AUDIENCE',
    'MEMORY_CLIENT_ID',
    'MEMORY_CLIENT_SECRET',
    'MEMORY_STACKS',
  ],
  ...['MODEL_BASE_URL', 'MODEL_PROVIDER_API_KEY', 'AGENT_RUNTIME_OAUTH_TOKEN', 'SKILLS_REPO_URL', 'POD_ISOLATION'],
]

/** What of the chart is data: its values with their schema and documentation, the definitions, the rights. */
export const chart = {
  name: 'bin/generators/chart.mjs',
  files: [
    `${folder}/Chart.yaml`,
    `${folder}/values.yaml`,
    `${folder}/values.schema.json`,
    `${folder}/README.md`,
  ].concat(owned.map((name) => `${folder}/files/${name}`)),
  async run(outDir) {
    const [
      { stringify },
      { settingSchemas },
      { customResourceDefinitions },
      { chartRules },
      { reachTable, ofStacks, whoReachesStacks },
    ] = await Promise.all([
      import('yaml'),
      import('../../orchestrator/settings/settings-schema.ts'),
      import('../../crd/manifest.ts'),
      import('../../edges/kubernetes/doctor/rbac.ts'),
      import('../../deploy/reach.ts'),
    ])
    const schema = valuesSchema(settingValues(settingSchemas))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const yaml = (value) => stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' })
    const put = async (name, text) => {
      const path = join(outDir, folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    await put('Chart.yaml', `# Generated from package.json by ${by}\n${yaml(chartFile(version))}`)
    await put('values.schema.json', `${JSON.stringify(withoutNotes(schema), null, 2)}\n`)
    await put(
      'values.yaml',
      `# Generated from bin/generators/chart/values.mjs by ${by}\n${valuesText(schema.properties, yaml)}`,
    )
    await put('README.md', readme(schema.properties, reachTable(), reachTable(ofStacks, whoReachesStacks)))
    await put('files/rules.yaml', `# Generated from edges/kubernetes/doctor/rbac.ts by ${by}\n${yaml(chartRules)}`)
    for (const definition of customResourceDefinitions()) {
      // Helm's own mark: an uninstall leaves the definition, and with it every resource.
      definition.metadata.annotations = { ...definition.metadata.annotations, 'helm.sh/resource-policy': 'keep' }
      await put(
        `files/crds/${definition.metadata.name}.yaml`,
        `# Generated from crd/kinds.ts by ${by}\n${yaml(definition)}`,
      )
    }
  },
}

const chartFile = (version) => ({
  apiVersion: 'v2',
  name: 'statewright',
  description: 'Lets coding agents work on real repositories under human authority.',
  type: 'application',
  version,
  appVersion: `v${version}`,
  // What the definitions and the pods of agents use is there since then.
  kubeVersion: '>=1.33.0-0',
})

function settingValues(all) {
  return Object.fromEntries(
    all.filter(([name]) => !ofTheChart.includes(name)).map(([name, schema]) => [name, settingValue(schema)]),
  )
}

function settingValue({ type, anyOf, items, minimum, maximum, pattern, reads, description }) {
  const said = { description }
  const words = (anyOf ?? []).map(({ const: word }) => word)
  // Helm reads YAML 1.1, where a bare `on` is true.
  if (anyOf) return { enum: words.includes('on') ? [...words, true, false] : words, ...said }
  if (type === 'integer') return { type, minimum, ...(maximum === undefined ? {} : { maximum }), ...said }
  if (type === 'array') return { type, items: { enum: items.anyOf.map(({ const: word }) => word) }, ...said }
  if (type === 'object') return { type, ...said }
  if (reads === 'url') return { type: 'string', pattern: '^(https?://[^\\s]+)?$', ...said }
  return { type: 'string', ...(pattern === undefined ? {} : { pattern }), ...said }
}

/** `isNeeded` is for the documentation: a value that is missing has a sentence of the templates. */
function withoutNotes(schema) {
  if (Array.isArray(schema)) return schema.map(withoutNotes)
  if (schema === null || typeof schema !== 'object') return schema
  const { isNeeded, ...rest } = schema
  // A default that the schema refuses would fail before the template's own sentence.
  if (isNeeded) delete rest.minLength
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, withoutNotes(value)]))
}

const isGroup = (schema) => schema.properties !== undefined && schema.default === undefined

function valuesText(properties, yaml, indent = '') {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const comment = schema.description ? `${indent}# ${schema.description}\n` : ''
      if (isGroup(schema)) return `${comment}${indent}${name}:\n${valuesText(schema.properties, yaml, `${indent}  `)}`
      return comment + yaml({ [name]: schema.default }).replaceAll(/^(?=.)/gm, indent)
    })
    .join('')
}

function readme(properties, reach, reachOfStacks) {
  const rows = leaves(properties).map(
    ([name, { description = '', default: fallback }]) =>
      `| \`${name}\` | \`${JSON.stringify(fallback)}\` | ${description.replaceAll('|', '\\|')} |`,
  )
  return `<!-- Generated from bin/generators/chart/ by ${by} -->
${readmeHead}
## Who reaches whom

\`npm run test:chart\` renders the policies and lets Cyclonus evaluate each cell. An empty cell is denied. In the table the ingress
controller is named in \`networkPolicy.operatorIngressFrom\` and Prometheus in \`networkPolicy.metricsFrom\`. By default every
pod and address reaches port 8080 of the orchestrator, and only agents reach 8082. An ingress that routes a memory service opens
that one's port 8080 in the same way. Three Projects run: \`red\` and \`blue\` in
one namespace, \`green\` in another. \`memoryServices\` has one for \`red\`.

${reach}

- The chart denies by default what reaches the orchestrator, and what agents' pods and its memory services reach or are reached
  by. It restricts no other pod: the policies of PostgreSQL or of another memory service belong to their own installation.
- An agent reaches a memory service of another Project that the chart did not bring. A token of \`memory.audience\` opens each of them.
- A memory service of the chart reaches any address at the ports of its addresses: 5432, that of the identity provider, and those of
  \`engine\`, \`embeddings\` and \`graph\` (7687). Where a Service has another port than its pods, add the pods' by
  \`networkPolicy.memoryEgress\`.
- Port 53 is open to any address, as in the contract: the chart does not know where DNS runs.
- A brainstorm with the internet reaches the API server on port 443 too: its policy names every address.
- With \`memoryStacks.enabled\` the first table stays as it is.
- The network of the cluster decides about probes of the kubelet. Most let a node reach its own pods.

### Memory stacks

With \`memoryStacks.enabled\` each namespace of Projects has policies of memory stacks too. In the table \`red\` has every part,
once from the program and once from CloudNativePG. Port 8081 has the embeddings, and 11434 LightRAG's model.

${reachOfStacks}

- Agents of one namespace reach each service there, and a token of \`memory.audience\` opens each. A Project whose memory is not for
  others needs a namespace of its own.
- A service reaches any address at the ports of \`oidc.issuer\` and \`memoryStacks.embeddings.url\`. LightRAG reaches those of the addresses in
  \`memoryStacks.lightrag.variables\`. Add others by \`networkPolicy.memoryEgress\`, such as a port that stands in a Secret.
- CloudNativePG marks pods of its Jobs with \`cnpg.io/jobRole\`, but with no label of a stack, so the chart does not restrict them. Where a policy of
  yours denies all, let them reach DNS, the API server and port 5432 of pods with \`cnpg.io/cluster\`.
- Instances reach the API server at 443 and 6443. Policies add up: allow another port, or a store of backups, by one of yours.

## Values

A name that the chart does not know is refused, and the answer lists the names that it knows.

| value | default | meaning |
| --- | --- | --- |
${rows.join('\n')}
`
}

const leaves = (properties, path = '') =>
  Object.entries(properties).flatMap(([name, schema]) => {
    if (isGroup(schema)) return leaves(schema.properties, `${path}${name}.`)
    const each = schema.additionalProperties?.properties ?? {}
    return [[`${path}${name}`, schema], ...leaves(each, `${path}${name}.<name>.`)]
  })

const readmeHead = `# The chart of Statewright

It installs one orchestrator into a cluster, with what belongs to it. PostgreSQL, the identity provider and the forge are yours.

1. Make a namespace, and in it a Secret with the address of PostgreSQL, one with the secret of the client at the identity
   provider, and one with the key of the model provider.
2. Write their names and the addresses into a file of values. \`helm show values deploy/chart\` prints all values.
3. Run \`helm install statewright deploy/chart --namespace platform --values values.yaml --wait\`. Helm prints the next steps.

| part | what it is |
| --- | --- |
| Deployment | one process. It stops before the next one starts: webhooks of that minute come again, pods of agents live on |
| Services | \`<release>\` (8080: webhooks, agents' tools, git, operations, inspector) and \`<release>-internal\` (8082: callbacks, metrics) |
| Ingress, HTTPRoute | off by default. They route webhooks, the inspector where you want it, memory services, and no operational path |
| memory services | none by default: a Deployment, a Service and a policy for each Project in \`memoryServices\`. A stop loses nothing: the truth is in PostgreSQL |
| memory stacks | none by default. With \`memoryStacks.enabled\` the orchestrator makes one for each Project with the block \`memory\`; the chart brings rights and policies for it |
| ServiceAccounts | one for the orchestrator with the rights of \`statewright rbac\`, one without rights for agents in each namespace, one without rights for memory services |
| NetworkPolicies | what agents' pods may reach and who reaches them; what reaches the orchestrator |
| Secrets | keys and the callback secret, made once and kept |
| definitions | the six kinds. An uninstall keeps them, and so every resource |

An agent's pod reaches port 443 of pods in the cluster alone. Where the model provider is outside, name it in
\`networkPolicy.agentEgress\`, or run a gateway to it in the cluster and name that in \`model.baseUrl\`.

Where \`allNamespaces\` is set, the chart cannot know where Projects live: name those namespaces in \`agentNamespaces\`. Each gets the
network policies and the ServiceAccount of agents. In another namespace the cluster refuses pods of agents, because that account
lacks there, and nothing there reaches the orchestrator as an agent: add the namespace, and run \`helm upgrade\`. Without \`agentNamespaces\`
pods of agents run in every namespace by its account \`default\`, and only the namespace of the release restricts what they reach.

\`helm uninstall\` leaves the definitions, the resources, the claims, the Secrets with keys and the database. A Job takes our
finalizers off, so that you can delete what you want.

Helm deletes the Deployment first, but does not wait for its pod: the roles go while the orchestrator stops. So its log may end with
one refusal, \`leases.coordination.k8s.io "statewright-orchestrator" is forbidden\`. It is harmless: what counts is in the database, and the
Job waits until the Lease has run out, about 15 seconds longer. To stop in order, run \`helm upgrade\` with \`--reuse-values --set replicas=0
--wait\` before the uninstall.
`
