import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { isReplaced } from './emulator-health.js'
import { fetchDirectly } from './fetch-directly.js'
import type { Target } from './target.js'

/**
 * How much a write has to say and ask: nothing at the emulator of this folder (`own`), the target at another emulator, the
 * target and a question everywhere else (`foreign`). Decision 27.
 */
export type TargetKind = 'own' | 'emulator' | 'foreign'

/** A service that is slower than this counts as foreign, so the user is asked. */
const maxProbeMilliseconds = 3_000

export async function kindOf({ url, emulator, isOwn, isLocal, isTyped, profile }: Target): Promise<TargetKind> {
  if (isOwn && emulator && !('pid' in emulator && (await isReplaced(emulator)))) return 'own'
  if (isLocal && isTyped) return 'emulator'
  // A named address of this machine is more often a tunnel than an emulator.
  if (isLocal && profile !== undefined) return 'foreign'
  return (await answersAsEmulator(url)) ? 'emulator' : 'foreign'
}

/** Asks without a key: the address has not been confirmed yet. */
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
