/** A page that was loaded from another version of svc than the one that answers by now, as after an upgrade under an open tab. */
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../live/context.js'
import { hasDrafts } from '../session/drafts.js'

/** The scripts and styles of a page: their names say what is in them. An extension of the browser may have added others. */
const assetsIn = (html: string) => [...html.matchAll(/\/_svc\/assets\/[\w.-]+/g)].map(([name]) => name).join(' ')

/** Read before any part of the page adds scripts of its own. */
const ownBuild = assetsIn([...document.head.children].map(({ outerHTML }) => outerHTML).join('\n'))

const place = 'svc:reloaded'

/** Whether the page is older than the emulator. It loads itself anew, once for each build, where nothing would be lost by that. */
export function useIsOlder(): boolean {
  const connection = useConnection()
  const isTyped = useIsTyped()
  const [isOlder, setOlder] = useState(false)
  useEffect(() => {
    if (connection !== 'open') return
    let isLeft = false
    async function look() {
      const build = await buildThere().catch(() => ownBuild)
      if (isLeft || build === ownBuild) return
      const isHeld = isTyped.current || hasDrafts() || document.querySelector('.dialog, .notice') !== null
      if (isHeld || !mayReload(build)) setOlder(true)
      else window.location.reload()
    }
    const onSeen = () => void (document.visibilityState === 'visible' && look())
    void look()
    document.addEventListener('visibilitychange', onSeen)
    return () => {
      isLeft = true
      document.removeEventListener('visibilitychange', onSeen)
    }
  }, [connection, isTyped])
  return isOlder
}

async function buildThere(): Promise<string> {
  const answer = await fetch('/_svc/', { cache: 'no-store', headers: { accept: 'text/html' } })
  return answer.ok ? assetsIn(await answer.text()) : ownBuild
}

/** Whether anything was typed since the page was gone to: filters, forms, whatever is not saved yet. */
function useIsTyped() {
  const isTyped = useRef(false)
  const [location] = useLocation()
  // What was typed on another page is gone, or kept there.
  const shown = useRef(location)
  if (shown.current !== location) isTyped.current = false
  shown.current = location
  useEffect(() => {
    const onInput = () => {
      isTyped.current = true
    }
    addEventListener('input', onInput)
    return () => removeEventListener('input', onInput)
  }, [])
  return isTyped
}

/** Once for each build: a page that is still the old one after that is answered from elsewhere, such as a proxy that keeps it. */
function mayReload(build: string): boolean {
  try {
    if (sessionStorage.getItem(place) === build) return false
    sessionStorage.setItem(place, build)
    return true
  } catch {
    return false
  }
}
