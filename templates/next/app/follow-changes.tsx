'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Renders the page again after each change. The session stays on the server: `/changes` follows the service for this page. */
export function FollowChanges() {
  const { refresh } = useRouter()
  useEffect(() => {
    const changes = new EventSource('/changes')
    changes.onmessage = refresh
    return () => changes.close()
  }, [refresh])
  return null
}
