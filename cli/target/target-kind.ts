import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { isReplaced } from './emulator-health.js'
import { fetchDirectly } from './fetch-directly.js'
import type { Target } from './target.js'

/**
 * Decides how a write is confirmed: silently at this folder's emulator (`own`), naming the target at another emulator,
 * and asking everywhere else (`foreign`). Decision 27.
 */
export type TargetKind = 'own' | 'emulator' | 'foreign'

/** A slower service counts as foreign, so the user is asked. */
const maxProbeMilliseconds = 3_000

export async function classifyTarget({ url, emulator, isOwn, isLocal, isTyped, profile }: Target): Promise<TargetKind> {
  if (isOwn && emulator && !('pid' in emulator && (await isReplaced(emulator)))) return 'own'
  if (isLocal && isTyped) return 'emulator'
  // A profile with a local address is more often a tunnel than an emulator.
  if (isLocal && profile !== undefined) return 'foreign'
  return (await answersAsEmulator(url)) ? 'emulator' : 'foreign'
}

/** Sends no key, because the address is not confirmed yet. */
async function answersAsEmulator(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(maxProbeMilliseconds)
    const response = await fetchDirectly(`${url}/_svc/api/health`, { signal, redirect: 'manual' })
    const body = parseJson(await response.text())
    return response.status === 200 && isObject(body) && body.status === 'ok' && typeof body.folder === 'string'
  } catch {
    return false
  }
}
