/** The certificates of a Cluster, by openssl. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** In PEM. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

/** `issuer` absent: an authority. `names`: of a server. */
export async function issue(
  root: string,
  {
    subject,
    issuer,
    names = [],
  }: { readonly subject: string; readonly issuer?: Pair; readonly names?: readonly string[] },
): Promise<Pair> {
  const folder = await mkdtemp(join(root, 'certificate-'))
  const [cert, key, ca, caKey] = ['cert', 'key', 'ca', 'ca-key'].map((name) => join(folder, name))
  try {
    const own = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '90']
    const words = [...own, '-subj', `/CN=${subject}`, '-keyout', key!, '-out', cert!]
    if (issuer !== undefined) {
      await Promise.all([writeFile(ca!, issuer.cert), writeFile(caKey!, issuer.key, { mode: 0o600 })])
      words.push('-CA', ca!, '-CAkey', caKey!, '-addext', 'basicConstraints=critical,CA:FALSE')
    }
    if (names.length > 0) words.push('-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`)
    await promisify(execFile)('openssl', words)
    return { cert: await readFile(cert!, 'utf8'), key: await readFile(key!, 'utf8') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
