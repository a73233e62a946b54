import { useEffect, useRef, useState } from 'react'
import { useAttempt } from './attempt'
import { svc } from './svc'
import type { Task } from './svc-types'

interface AttachmentProps {
  task: Task
  attach(file: Pick<Task, 'fileId' | 'fileName' | 'fileUrl'>): Promise<unknown>
}

/** Shows the file of a task, or an input to attach one. */
export function Attachment({ task, attach }: AttachmentProps) {
  const { attempt, isRunning, problem } = useAttempt()
  const [sent, setSent] = useState(0)
  const chosen = useRef<{ file: File; idempotencyKey: string }>(undefined)
  const abort = useRef<AbortController>(undefined)
  // Aborts on sign-out, which unmounts this. Otherwise the next user would attach the file.
  useEffect(() => () => abort.current?.abort(), [])

  function upload() {
    void attempt(async () => {
      if (!chosen.current) return
      const { file, idempotencyKey } = chosen.current
      abort.current = new AbortController()
      const { signal } = abort.current
      setSent(0)
      const onProgress = (sentBytes: number, totalBytes: number) => setSent(sentBytes / Math.max(totalBytes, 1))
      try {
        // Uses one key for all attempts, so that retries store the file once.
        const { id, name, url } = await svc.files.upload(file, { path: 'tasks', idempotencyKey, signal, onProgress })
        await attach({ fileId: id, fileName: name, fileUrl: url })
      } catch (error) {
        if (!signal.aborted) throw error
      }
    })
  }

  if (task.fileUrl) {
    return (
      <a href={task.fileUrl} target="_blank" rel="noreferrer">
        {task.fileName}
      </a>
    )
  }
  if (isRunning) {
    return (
      <span className="upload">
        <progress value={sent} aria-label="Upload" />
        <button type="button" className="quiet" onClick={() => abort.current?.abort()}>
          Cancel
        </button>
      </span>
    )
  }
  return (
    <span className="upload">
      {problem && (
        <>
          <span role="alert">{problem}</span>
          <button type="button" className="quiet" onClick={upload}>
            Try again
          </button>
        </>
      )}
      <label className="quiet">
        Attach
        <input
          type="file"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (!file) return
            chosen.current = { file, idempotencyKey: newKey() }
            upload()
          }}
        />
      </label>
    </span>
  )
}

const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
