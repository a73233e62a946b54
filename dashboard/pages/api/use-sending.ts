import { useEffect, useRef, useState } from 'react'
import { asFailure } from '../../../client/send.js'
import { useSendUndoably } from '../../frame/undo.js'
import { useSession } from '../../session/context.js'
import { openBrowserStore } from '../../session/storage.js'
import type { Caller, Request } from './request.js'
import { type Received, send } from './send.js'

/** Returns the callers that an operation accepts. The first one is the default. */
export function useCallers(security: readonly string[]): readonly Caller[] {
  const { acting } = useSession()
  if (security.includes('controlToken')) return ['control', 'nobody']
  return acting ? ['user', 'public', 'secret', 'nobody'] : ['public', 'secret', 'nobody']
}

export function useSending() {
  const { guard, acting, publicKey, ownerKey, folder } = useSession()
  const sendUndoably = useSendUndoably()
  const [received, setReceived] = useState<Received>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  const createSecretHeaders = (caller: Caller): Record<string, string> => {
    if (caller === 'public') return { 'x-api-key': publicKey }
    if (caller === 'secret') return { 'x-api-key': ownerKey.key }
    if (caller === 'user') return { authorization: `Bearer ${acting?.token ?? ''}` }
    return caller === 'control' ? { 'svc-control-token': openBrowserStore(folder).token() ?? '' } : {}
  }

  async function start(request: Request, caller: Caller) {
    abort.current?.abort()
    const mine = new AbortController()
    abort.current = mine
    setBusy(true)
    setError(undefined)
    setReceived(undefined)
    const onPart = (part: Received) => mine === abort.current && setReceived(part)
    try {
      await sendUndoably({ by: 'api', ...request }, () =>
        send(guard, request, createSecretHeaders(caller), mine.signal, onPart),
      )
    } catch (failure) {
      if (!mine.signal.aborted) setError(asFailure(failure, 'the emulator'))
    } finally {
      if (mine === abort.current) setBusy(false)
    }
  }

  return { received, error, isBusy, start, setError, stop: () => abort.current?.abort() }
}
