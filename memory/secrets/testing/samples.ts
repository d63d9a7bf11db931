/** Made-up secrets, one or more for each rule. They are drawn and joined here, so that no scanner takes this file for a leak. */
import { createHash } from 'node:crypto'

const digits = '0123456789'
const hex = `${digits}abcdef`
const lower = 'abcdefghijklmnopqrstuvwxyz'
const letters = lower + lower.toUpperCase()
const alphanumeric = letters + digits

/** The same at each run. */
function drawn(alphabet: string, length: number): string {
  let text = ''
  for (let block = 0; text.length < length; block += 1)
    for (const byte of createHash('sha512').update(`${alphabet}${length}/${block}`).digest())
      text += alphabet[byte % alphabet.length] ?? ''
  return text.slice(0, length)
}

const random = (length: number): string => drawn(alphanumeric, length)
const begin = (kind: string): string => `${'-'.repeat(5)}BEGIN ${kind}PRIVATE KEY${'-'.repeat(5)}`
const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Its length makes the base64 end as that of a whole object does. */
const account = Buffer.from(JSON.stringify({ muk: random(124), k: random(4) })).toString('base64')

export interface Sample {
  /** Of the only rule that finds it. */
  readonly rule: string
  readonly text: string
}

function samplesOf(table: Readonly<Record<string, readonly string[]>>): readonly Sample[] {
  return Object.entries(table).flatMap(([rule, texts]) => texts.map((text) => ({ rule, text })))
}

export const ownSamples = samplesOf({
  'private key': [
    `${begin('RSA ')}\n${random(64)}\n${random(64)}`,
    `-${begin('')}\n-${random(64)}`,
    `${begin('ENCRYPTED ')}\n${random(64)}\n`,
    `${begin('RSA ')}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${drawn(hex, 32)}\n\n${random(64)}`,
    JSON.stringify({ private_key: `${begin('')}\n${random(64)}\n` }),
  ],
  'age key': [`AGE-SECRET${'-KEY-1'}${drawn('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`],
  'GitLab token': [`gl${'rt-'}${random(20)}`, `gl${'dt-'}${random(20)}`],
  'Slack session token': [`xo${'xc-'}${drawn(digits, 12)}-${random(32)}`],
  'Google API key': [`AI${'za'}${random(35)}`],
  'Anthropic token': [`sk-${'ant-oat01-'}${random(90)}`],
  'PyPI token': [`pypi-${'AgEI'}${random(80)}`],
  'SendGrid key': [`S${'G.'}${random(22)}.${random(20)}-${random(11)}-${random(10)}`],
  'Twilio key': [`S${'K'}${drawn(hex, 32)}`],
  'DigitalOcean token': [`do${'p_v1_'}${drawn(hex, 64)}`],
  'Discord token': [`M${random(25)}.${random(6)}.${random(38)}`],
  'Discord webhook': [`https://discord.com${'/api/webhooks/'}${drawn(digits, 18)}/${random(68)}`],
  'Azure key': [`DefaultEndpointsProtocol=https;AccountName=parcels;Account${'Key='}${random(86)}==`],
  'Telegram token': [`https://api.telegram.org/bot${drawn(digits, 10)}:A${'A'}${random(33)}/getMe`],
  'Django key': [`SECRET_KEY = 'django${'-insecure-'}${drawn(`${lower}${digits}!@#$%^&*(-_=+)`, 50)}'`],
  'Laravel key': [`APP_KEY=base${'64:'}${random(43)}=`],
  'kubeconfig key': [`    client-key${'-data: '}LS0tLS1CRUdJTi${random(80)}`],
  'JSON Web Token': [`${segment({ alg: 'RS256' })}.${segment({ sub: random(12) })}.${random(43)}`],
  'password in a URL': [
    `redis://rita:${'hunter22'}@cache.company.net`,
    `git+ssh+https://rita:${'h.22;nt'}@forge.company.net`,
    `REDIS_URL=redis://:${random(20)}@cache:6379/0`,
    `amqp://rita:${random(14)}@rabbit:5672/`,
  ],
  'Authorization header': [
    `Authorization: Basic ${Buffer.from(`rita:${'hunter22Xk'}`).toString('base64')}`,
    `curl -H "Authorization: Bearer ${random(40)}"`,
  ],
  'login in base64': [
    `{"auths":{"images.company.net":{"auth":"${Buffer.from(`rita:${'hunter22Xk'}`).toString('base64')}"}}}`,
    `_auth=${Buffer.from(`rita:${'hunter22Xk'}`).toString('base64')}`,
  ],
  'secret of a command': [
    `docker login -u ci --password ${'plum7Tree'}4Vx images.company.net`,
    `deploy sync --auth-token ${random(40)}`,
    `curl -u rita:${'plum7Tree'}4Vx https://forge.company.net`,
    `sshpass -p '${'plum7Tree'}!4Vx' ssh root@10.20.30.40`,
    `ENV API_TOKEN ${random(32)}`,
  ],
  'password of a call or an element': [
    `pool.setPassword("${'plum7Tree'}!4Vx");`,
    `properties.put("password", "${'plum7Tree'}!4Vx");`,
    `<username>rita</username><password>${'plum7Tree'}4Vx</password>`,
  ],
  'random value of a name that tells of secrets': [
    `secret_of_the_service_that_signs = '${random(16)}'`,
    `TWILIO_AUTH_TOKEN=${drawn(hex, 32)}`,
    `"apiKey": "${random(24)}"`,
    `ENCRYPTION_KEY=${drawn(hex, 64)}`,
    `PRIVATE_KEY=0x${drawn(hex, 64)}`,
    `_authToken=${drawn(hex, 8)}-${drawn(hex, 4)}-4${drawn(hex, 3)}-a${drawn(hex, 3)}-${drawn(hex, 12)}`,
    `| API_TOKEN | ${random(32)} |`,
    `<add key="ApiKey" value="${random(32)}" />`,
  ],
  password: [
    `password: "${'hunter2'.repeat(2)}Xk9"`,
    `password: ${'hunter2'.repeat(2)}Xk9`,
    `DB_PASSWORD=${'hunter2'}Xk9q`,
    `$passphrase = '${'plum7Tree'}4Vx'`,
    `DB_PASS=${'plum7Tree'}4Vx`,
    `  pwd: "${'plum7Tree'}!4Vx"`,
  ],
})

/** Of secretlint's preset, by the names of its rules. */
export const presetSamples = samplesOf({
  aws: [`AK${'IA'}${drawn('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`, `SECRET_ACCESS${'_KEY: '}${drawn(lower, 40)}`],
  npm: [`np${'m_'}${random(36)}`],
  basicauth: [`http://rita:${'h4nT'}@10.20.30.40`],
  slack: [
    `xo${'xb-'}${drawn(digits, 12)}-${random(24)}`,
    `https://hooks.slack.com${'/services/'}T${random(9)}/B${random(10)}/${random(24)}`,
  ],
  shopify: [`shp${'at_'}${random(32)}`],
  stripe: [`sk${'_live_'}${random(24)}`, `sk${'_test_'}${random(24)}`, `rk${'_test_'}${random(24)}`],
  github: [`gh${'p_'}${random(36)}`, `gh${'s_'}${random(36)}`, `github${'_pat_'}${random(82)}`],
  gitlab: [`gl${'pat-'}${random(20)}`],
  grafana: [`gl${'sa_'}${random(32)}_${drawn(hex, 8)}`, `gl${'c_'}${random(60)}`],
  openai: [`sk-${'proj-'}${random(74)}T3Blbk${'FJ'}${random(74)}`],
  anthropic: [`sk-${'ant-api03-'}${random(93)}AA`],
  groq: [`gs${'k_'}${random(52)}`],
  huggingface: [`h${'f_'}${drawn(letters, 34)}`],
  linear: [`lin${'_api_'}${random(40)}`],
  notion: [`nt${'n_'}${drawn(digits, 11)}${random(35)}`],
  '1password': [`op${'s_'}${account}`],
  'database-connection-string': [
    `postgres://rita:${'hunter22'}@db/parcels`,
    `mongodb://rita:${'hunter22'}@db/parcels`,
    `mysql://rita:${'hunter22'}@db/parcels`,
  ],
  'hashicorp-vault': [`hv${'s.'}${random(95)}`, `hv${'b.'}${random(150)}`],
  vercel: [`vc${'p_'}${random(24)}`],
  databricks: [`dap${'i'}${drawn(hex, 32)}`],
  docker: [`dckr${'_pat_'}${random(27)}`],
  figma: [`fig${'d_'}${random(40)}`],
  cloudflare: [`cf${'ut_'}${random(40)}${drawn(hex, 8)}`],
  tailscale: [`tskey${'-auth-'}${random(17)}-${random(32)}`],
})

/** They look like secrets, and are none. */
export const innocents: readonly string[] = [
  // Of the documents and the tests of Requests.
  "proxies = {'http': 'http://user:pass@10.10.1.10:3128/'}",
  "'http://user:pass%20pass@complex.url.com/path?query=yes',",
  'headers = adapter.proxy_headers("http://user:pass@httpbin.org")',
  'password: /run/secrets/pg16-main',
  'POSTGRES_PASSWORD_FILE=/run/secrets/pg16-main9x',
  `<assemblyIdentity name="System.Web" publicKeyToken=${'b77a5c56'}1934e089 />`,
  'passwordExpiry: 2024-12-31T23:59:59Z',
  'password_reset_url: https://company.net/reset/v2',
  `token_id: ${drawn(hex, 8)}-${drawn(hex, 4)}-4${drawn(hex, 3)}-a${drawn(hex, 3)}-${drawn(hex, 12)}`,
  `tokenId: "${random(24)}"`,
  `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB${random(400)}`,
]
