/** What Alertmanager posts to a webhook (version 4), and Grafana in the same shape; what nobody reads is let through. */
import { Type, type Static } from 'typebox'

const Texts = Type.Record(Type.String(), Type.String())

export const Alert = Type.Object({
  status: Type.String(),
  labels: Texts,
  annotations: Type.Optional(Texts),
  startsAt: Type.String({ minLength: 1 }),
  fingerprint: Type.String({ minLength: 1 }),
  generatorURL: Type.Optional(Type.String()),
})
export type Alert = Static<typeof Alert>

export const AlertDelivery = Type.Object({
  groupKey: Type.String({ minLength: 1 }),
  alerts: Type.Array(Alert),
})
export type AlertDelivery = Static<typeof AlertDelivery>
