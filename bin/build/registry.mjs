// What a registry has under a tag, by the API that all of them have (OCI Distribution Specification 1.1, Docker's token
// authentication).
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const digestForm = /^sha256:[0-9a-f]{64}$/
/** Docker's own shorthand: an image without a host is of its registry, one without a folder of `library`. */
const dockerHub = 'registry-1.docker.io'
const answerMs = 30_000

/** Reads `node:24`, `acme/x:1` or `registry.example:5000/acme/x:1`. */
export function parseImage(image) {
  const [first, ...rest] = image.split('/')
  const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first)
  const [path, tag, ...more] = (hasHost ? rest.join('/') : image).split(':')
  if (!tag || more.length > 0 || image.includes('@')) throw new Error(`${image} is not an image with a tag alone`)
  if (hasHost) return { registry: first, repository: path, tag }
  return { registry: dockerHub, repository: path.includes('/') ? path : `library/${path}`, tag }
}

/** The digest that a registry has under the tag of an image, which it may have of several platforms. */
export async function askDigest({ registry, repository, tag }) {
  const url = `${schemeOf(registry)}://${registry}/v2/${repository}/manifests/${tag}`
  const head = (authorization) => {
    const headers = { accept: manifestTypes.join(', '), ...(authorization && { authorization }) }
    return fetch(url, { method: 'HEAD', headers, signal: AbortSignal.timeout(answerMs) })
  }
  const first = await head()
  const answer = first.status === 401 ? await head(`Bearer ${await askToken(first, repository)}`) : first
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const digest = answer.headers.get('docker-content-digest') ?? ''
  if (!digestForm.test(digest)) throw new Error(`${url} answered no digest of sha256, but "${digest}"`)
  return digest
}

/** Nobody signs in here: base images are public. */
async function askToken(refusal, repository) {
  const challenge = refusal.headers.get('www-authenticate') ?? ''
  const named = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  if (!/^bearer /i.test(challenge) || !named.realm) throw new Error(`${refusal.url} wants "${challenge}", not a token`)
  const realm = new URL(named.realm)
  if (realm.protocol !== `${schemeOf(realm.host)}:`) throw new Error(`tokens of ${realm.origin} would come unprotected`)
  realm.searchParams.set('scope', named.scope ?? `repository:${repository}:pull`)
  if (named.service) realm.searchParams.set('service', named.service)
  const answer = await fetch(realm, { signal: AbortSignal.timeout(answerMs) })
  if (!answer.ok) throw new Error(`${realm.origin}${realm.pathname} answered ${answer.status}`)
  const { token, access_token: other } = await answer.json()
  if (typeof (token ?? other) !== 'string') throw new Error(`${realm.origin}${realm.pathname} answered no token`)
  return token ?? other
}

/** As Docker does it: a registry of this machine needs no certificate. */
function schemeOf(host) {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host) ? 'http' : 'https'
}
