/**
 * What the service measures of its own work, over `node:diagnostics_channel`: publishers know no subscribers, and cost nothing where
 * there are none. No measure holds what users wrote.
 */
import diagnostics from 'node:diagnostics_channel'

export interface Measures {
  /** Changes were handed to subscribers: seconds since the oldest of them was written, by the clock of its writer. */
  readonly changes: { readonly lagSeconds: number }
  /** A background round has ended. */
  readonly rounds: { readonly name: string; readonly seconds: number; readonly isFailed: boolean }
}

const channelOf = (name: keyof Measures) => diagnostics.channel(`svc-toolkit:${name}`)

/** `measure` is called only where there are subscribers. */
export function publishMeasure<Name extends keyof Measures>(name: Name, measure: () => Measures[Name]): void {
  const channel = channelOf(name)
  if (channel.hasSubscribers) channel.publish(measure())
}

/** Until the returned function is called. */
export function subscribeMeasure<Name extends keyof Measures>(
  name: Name,
  receive: (measure: Measures[Name]) => void,
): () => void {
  const channel = channelOf(name)
  const onMessage = (message: unknown) => receive(message as Measures[Name])
  channel.subscribe(onMessage)
  return () => void channel.unsubscribe(onMessage)
}
