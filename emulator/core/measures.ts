/**
 * Publishes measurements of the service through `node:diagnostics_channel`. Costs nothing without subscribers.
 * Measurements contain no user data.
 */
import diagnostics from 'node:diagnostics_channel'

export interface Measures {
  /** Published when subscribers receive changes: seconds since the oldest was written, by its writer's clock. */
  readonly changes: { readonly lagSeconds: number }
  /** Published when a background round ends. */
  readonly rounds: { readonly name: string; readonly seconds: number; readonly isFailed: boolean }
}

const openChannel = (name: keyof Measures) => diagnostics.channel(`svc-toolkit:${name}`)

/** Calls `measure` only if there are subscribers. */
export function publishMeasure<Name extends keyof Measures>(name: Name, measure: () => Measures[Name]): void {
  const channel = openChannel(name)
  if (channel.hasSubscribers) channel.publish(measure())
}

/** Subscribes until the returned function is called. */
export function subscribeMeasure<Name extends keyof Measures>(
  name: Name,
  receive: (measure: Measures[Name]) => void,
): () => void {
  const channel = openChannel(name)
  const onMessage = (message: unknown) => receive(message as Measures[Name])
  channel.subscribe(onMessage)
  return () => void channel.unsubscribe(onMessage)
}
