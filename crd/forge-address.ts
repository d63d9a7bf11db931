import { Type, type TString } from 'typebox'

/** In clear to this machine alone: the bot's token goes along (PROJECT-SCM-20, REPOSITORY-2). */
const pattern = '^(https://|http://(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]+)?(/|$))'

export function ForgeAddress(options: { readonly description: string }): TString {
  return Type.String({ pattern, ...options })
}
