// A page that was opened as a file may start no worker: a hidden frame searches in its place.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.body.appendChild(document.createElement("iframe"))
      frame.hidden = true
      this.inner = frame.contentWindow
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = this.inner.document.createElement("script")
      this.loaded = new Promise((resolve) => script.addEventListener("load", resolve))
      script.src = url
      this.inner.document.body.appendChild(script)
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}

// To the index a dash in front of a word says "without": a flag is looked for by its letters.
const post = Worker.prototype.postMessage
Worker.prototype.postMessage = function (message) {
  const asks = message.type === 2 && typeof message.data === "string"
  post.call(this, asks ? { ...message, data: message.data.replace(/(^|\s)-+/g, "$1") } : message)
}
