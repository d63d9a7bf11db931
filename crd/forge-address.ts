import { Type, type TString } from 'typebox'

/** In clear to this machine alone: the bot's token goes along (PROJECT-SCM-20, REPOSITORY-2). */
export const forgeAddressPattern =
  '^(https://|http://(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]+)?(/|$))[^\\x00-\\x20\\x7f]*$'

/** `otherwise`: what counts where it is absent. */
export function ForgeAddress(otherwise: string): TString {
  return Type.String({
    pattern: forgeAddressPattern,
    description: `Default: ${otherwise}. Plain http works only with a loopback address.`,
  })
}
