"use strict";
// Tells the terminal where its application is, below whatever path this page came from, and gives
// it the keyboard as soon as there is something to see.
document.addEventListener("DOMContentLoaded", () => {
  const terminal = document.getElementById("terminal");
  const line = new URL("ws", location.href);
  line.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  line.search = "";
  terminal.dataset.sessionWebsocketUrl = line.href;
  const size = Number(new URLSearchParams(location.search).get("size"));
  terminal.dataset.fontSize = size >= 8 && size <= 48 ? String(Math.round(size)) : "16";

  const type = () => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys && !document.body.classList.contains("-closed")) keys.focus();
  };
  new MutationObserver(() => {
    if (document.body.classList.contains("-closed")) {
      document.querySelector("#closed a").focus();
    } else {
      type();
    }
  }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  window.addEventListener("focus", type);
});
