/** A person in a browser: follows redirects with cookies, fills the provider's own forms in as `ada`. */
export async function confirm(address: string, signInCode: string): Promise<void> {
  const typed: Readonly<Record<string, string>> = { login: 'ada', code: signInCode }
  const jar = new Map<string, string>()
  let at = address
  let body: URLSearchParams | undefined
  for (let step = 0; step < 20; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = body === undefined ? {} : { method: 'POST', body }
    const answer = await fetch(at, { ...init, headers: { cookie }, redirect: 'manual' })
    for (const each of answer.headers.getSetCookie()) {
      const [pair = ''] = each.split(';')
      const [name = '', ...value] = pair.split('=')
      jar.set(name, value.join('='))
    }
    const location = answer.headers.get('location')
    if (location !== null) {
      await answer.body?.cancel()
      at = new URL(location, at).href
      body = undefined
      continue
    }
    const page = await answer.text()
    const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1]
    if (action === undefined) {
      if (!/success/i.test(page)) throw new Error(`the sign-in stands still: ${answer.status} ${page.slice(0, 600)}`)
      return
    }
    body = new URLSearchParams()
    for (const [input] of page.matchAll(/<input[^>]*>/g)) {
      const name = /name="([^"]*)"/.exec(input)?.[1]
      const value = /value="([^"]*)"/.exec(input)?.[1]
      if (name !== undefined) body.set(name, value ?? typed[name] ?? '')
    }
    at = new URL(action.replaceAll('&amp;', '&'), at).href
  }
  throw new Error('the sign-in goes in circles')
}
