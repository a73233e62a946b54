import { type ComponentType, lazy } from 'react'
import { pause } from '../../client/send.js'
import { ahead } from '../parts/ahead.js'
import { folderHere } from './guard.js'

const againMilliseconds = 1_000

/** A part of the page in a script of its own. */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const script = ahead(load)
  return lazy(() => script().catch(reloaded))
}

/** Loads the page anew once the emulator answers; it may be another version of it, with scripts of other names. */
async function reloaded(): Promise<never> {
  do await pause(againMilliseconds)
  while (!(await folderHere().catch(() => undefined)))
  location.reload()
  return new Promise(() => undefined)
}
