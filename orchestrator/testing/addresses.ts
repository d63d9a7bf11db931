/** Addresses and ports in data: every text of it is searched, whatever its field is called. */

interface Found {
  /** Names from the root with `/` between; an entry of a list by its `name`, else by its number. */
  readonly where: string
  /** A URL without its path, `host:port`, a bare host, or `:port`. */
  readonly address: string
}

const host = String.raw`(?:\[[0-9a-f:.]+\]|\$\(\w+\)|[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)`
const url = /[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>\\,\]})]+/gi
const hostAndPort = new RegExp(String.raw`${host}:\d{1,5}(?![\w.:])`, 'gi')
/** An address of the fourth or the sixth version, and names that are hosts wherever they stand. */
const bareHost =
  /(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:invalid|svc|local|internal))(?![\w])|(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi
const portFields = ['port', 'containerPort', 'hostPort', 'targetPort', 'nodePort']

/** In the order of the data. An image is one address: its registry. */
export function addressesIn(value: unknown, where = ''): readonly Found[] {
  if (typeof value === 'string') return inText(value, where)
  if (typeof value !== 'object' || value === null) return inNumber(value, where)
  return Object.entries(value).flatMap(([key, inner]) => {
    const { name } = (Array.isArray(value) ? (inner ?? {}) : {}) as { readonly name?: string }
    return addressesIn(inner, where === '' ? key : `${where}/${name ?? key}`)
  })
}

function inText(text: string, where: string): readonly Found[] {
  if (where.endsWith('/image')) return [{ where, address: text.slice(0, text.indexOf('/')) }]
  const found: Found[] = []
  let rest = text
  for (const pattern of [url, hostAndPort, bareHost])
    rest = rest.replaceAll(pattern, (match) => {
      found.push({ where, address: pattern === url ? (/^[^/]+\/\/[^/?#]+/.exec(match)?.[0] ?? match) : match })
      return ' '
    })
  return found
}

function inNumber(value: unknown, where: string): readonly Found[] {
  const isPort = typeof value === 'number' && portFields.includes(where.slice(where.lastIndexOf('/') + 1))
  return isPort ? [{ where, address: `:${value}` }] : []
}
