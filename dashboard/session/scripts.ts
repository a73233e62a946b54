/**
 * Scripts that are loaded when they are needed: ahead of that while the page is idle, since an emulator that is restarted
 * cannot be asked for them, and a browser never asks again for a module that it did not get.
 */
import { type ComponentType, lazy } from 'react'
import { pause } from '../../client/send.js'
import { folderHere } from './guard.js'

const scripts: (() => Promise<unknown>)[] = []
const againMilliseconds = 1_000

/** A script of its own that is loaded ahead. */
export function ahead<Script>(load: () => Promise<Script>): () => Promise<Script> {
  scripts.push(load)
  return load
}

/** A part of the page in a script of its own. */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const script = ahead(load)
  return lazy(() => script().catch(reloaded))
}

/** Loads what has not been loaded yet, one after the other. */
export async function loadAhead(): Promise<void> {
  for (const load of scripts) {
    await new Promise<unknown>((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve))
    await load().catch(() => undefined)
  }
}

/** Loads the page anew once the emulator answers; it may be another version of it, with scripts of other names. */
async function reloaded(): Promise<never> {
  do await pause(againMilliseconds)
  while (!(await folderHere().catch(() => undefined)))
  location.reload()
  return new Promise(() => undefined)
}
