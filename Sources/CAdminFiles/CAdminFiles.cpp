#include "CAdminFiles.h"

// #embed is of C23; Swift's own clang has it in every standard. This is C++ because SwiftPM gives a package with one C++ target
// the flags of C++ for all its C targets, when it makes symbol graphs (`make docc`).
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "../Admin/Page/index.html"
};

static const unsigned char style[] = {
#embed "../Admin/Page/style.css"
};

static const unsigned char main_js[] = {
#embed "../Admin/Page/main.js"
};

static const unsigned char core[] = {
#embed "../Admin/Page/core.js"
};

static const unsigned char inbox[] = {
#embed "../Admin/Page/inbox.js"
};

static const unsigned char push[] = {
#embed "../Admin/Page/push.js"
};

static const unsigned char phones[] = {
#embed "../Admin/Page/phones.js"
};

static const unsigned char draw[] = {
#embed "../Admin/Page/draw.js"
};

static const unsigned char control[] = {
#embed "../Admin/Page/control.js"
};

static const unsigned char overview[] = {
#embed "../Admin/Page/overview.js"
};

#define TEXT(bytes) admin_text{bytes, sizeof(bytes)}

admin_text admin_file(AdminFile file) {
  switch (file) {
  case AdminFileIndex: return TEXT(page);
  case AdminFileStyle: return TEXT(style);
  case AdminFileMain: return TEXT(main_js);
  case AdminFileCore: return TEXT(core);
  case AdminFileInbox: return TEXT(inbox);
  case AdminFilePush: return TEXT(push);
  case AdminFilePhones: return TEXT(phones);
  case AdminFileDraw: return TEXT(draw);
  case AdminFileControl: return TEXT(control);
  case AdminFileOverview: return TEXT(overview);
  }
}
